import Foundation
import MoyaTransport

/// The destination of a response's body as it arrives: memory or a file.
///
/// Touched by the events of one exchange, one at a time, and by what follows the last of them.
protocol ResponseBody {
    /// Begins with the head of the response that is delivered.
    ///
    /// - Returns: The number of bytes that are there already.
    mutating func begin(_ head: TransportResponseHead) throws(SessionError) -> Int64

    /// Takes bytes of the body.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SessionError)

    /// `true` if the wire may read on.
    var demand: TransportDemand { get }

    /// Hands over what was gathered in memory; `nil` where no byte came, or it went elsewhere.
    mutating func takeData() -> Data?

    /// `true` if the body has to be moved to its destination once it is whole, which may call user code.
    var isMoved: Bool { get }

    /// Moves a whole body to where it belongs, after the last byte and before validation; runs unlocked.
    func move(head: TransportResponseHead, url: URL, in attempt: Attempt) throws(SessionError)

    /// Removes data that is not needed after a failure or a cancellation.
    mutating func discard()
}

extension ResponseBody {
    /// All of it, at once.
    var demand: TransportDemand { .more }
}

/// Gathers the body of a response in memory.
struct MemoryBody: ResponseBody {
    private var data: Data?
    /// The length of the body as its head announces it; 0 where it does not.
    private var announced = 0

    /// The most bytes that are reserved because a server announces them; a longer body grows as it comes.
    private static let mostReservedBytes: Int64 = 16 * 1024 * 1024

    mutating func begin(_ head: TransportResponseHead) -> Int64 {
        data = nil
        announced = Int(min(head.contentLength ?? 0, Self.mostReservedBytes))
        return 0
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        if data == nil {
            // A body of one piece is copied as it is.
            if announced <= bytes.count { return data = Data(bytes: start, count: bytes.count) }
            data = Data(capacity: announced)
        }
        data?.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }

    mutating func takeData() -> Data? { data.take() }

    var isMoved: Bool { false }

    func move(head: TransportResponseHead, url: URL, in attempt: Attempt) {}

    mutating func discard() { data = nil }
}
