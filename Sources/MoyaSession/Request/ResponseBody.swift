import Foundation
import MoyaTransport

/// The destination of a response's body as it arrives: memory or a file.
///
/// The events of one exchange access it one at a time, as does the code after the last event.
protocol ResponseBody {
    /// Starts the body of a response.
    ///
    /// - Returns: The number of bytes that are already present.
    mutating func receive(_ head: TransportResponseHead) throws(SessionError) -> Int64

    /// Appends bytes of the body.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SessionError)

    /// The permission of the transport to continue reading.
    var demand: TransportDemand { get }

    /// Returns the bytes collected in memory; `nil` if there are none, or if they were written elsewhere.
    mutating func takeData() -> Data?

    /// `true` if the complete body has to be moved to its destination, which may call user code.
    var isMoved: Bool { get }

    /// Moves the complete body to its destination, after the last byte and before validation, without a lock.
    ///
    /// - Parameter completion: Called where validations run, at once or later.
    func move(
        head: TransportResponseHead, url: URL, in attempt: Attempt,
        completion: @escaping @Sendable (SessionError?) -> Void)

    /// Removes data that is not needed after a failure or a cancellation.
    mutating func discard()
}

/// A body that is never paused, and not kept.
extension ResponseBody {
    var demand: TransportDemand { .more }
    func takeData() -> Data? { nil }
    var isMoved: Bool { false }
    func move(
        head: TransportResponseHead, url: URL, in attempt: Attempt,
        completion: @escaping @Sendable (SessionError?) -> Void
    ) { completion(nil) }
    func discard() {}
}

/// Collects the body of a response in memory.
struct MemoryBody: ResponseBody {
    private var data: Data?
    /// The length of the body announced by its head; 0 if it announces none.
    private var announced = 0

    /// The maximum number of bytes to reserve for an announced length; a longer body grows as it arrives.
    private static let mostReservedBytes: Int64 = 16 * 1024 * 1024

    mutating func receive(_ head: TransportResponseHead) -> Int64 {
        data = nil
        announced = Int(min(head.contentLength ?? 0, Self.mostReservedBytes))
        return 0
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        if data == nil {
            // A body that arrives in one piece is copied once.
            if announced <= bytes.count { return data = Data(bytes: start, count: bytes.count) }
            data = Data(capacity: announced)
        }
        data?.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }

    mutating func takeData() -> Data? { data.take() }

    mutating func discard() { data = nil }
}
