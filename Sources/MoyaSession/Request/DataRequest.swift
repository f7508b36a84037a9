public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A request whose response is gathered in memory.
public class DataRequest: Request, @unchecked Sendable {
    /// A check of a response of the user's own; an error fails the request.
    public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult

    /// What a server may announce and have space reserved for; more grows as it comes.
    private static let mostReservedBytes = 16 * 1024 * 1024

    /// Touched by the transport's events alone, one at a time, until the end hands it over; so no access is checked.
    @exclusivity(unchecked) private var body: Data?
    @exclusivity(unchecked) private var announcedLength: Int64 = 0

    /// The body received; `nil` when no byte came.
    public var data: Data? { guarded.withLock { $0.data } }

    override func beginReceiving() {
        body = nil
        announcedLength = 0
    }

    override func receive(head: TransportResponseHead) throws(SessionError) {
        announcedLength = head.contentLength ?? 0
    }

    override func receive(bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        if body == nil { body = Data(capacity: Int(min(announcedLength, Int64(Self.mostReservedBytes)))) }
        body?.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }

    override func receive(data: Data) throws(SessionError) {
        // A part of other data keeps its indices, where whoever gets a body counts from 0.
        if body == nil, data.startIndex == 0 { body = data } else { body = (body ?? Data()) + data }
    }

    override func concludeReceiving(_ guarded: inout Guarded) {
        guarded.data = body.take().flatMap { $0.isEmpty ? nil : $0 }
    }

    override func discardReceived() { body = nil }

    /// Checks each response with a closure, after those added before; skipped once one has failed.
    ///
    /// The closure runs on the session's root queue.
    @discardableResult
    @preconcurrency
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidator(
            .custom { input in
                guard let response = input.response else { return .success(()) }
                return validation(input.request, response, input.data)
            })
        return self
    }

    /// Calls a handler on a queue once the request is over, and starts the request when its session starts requests
    /// by itself.
    @discardableResult
    @preconcurrency
    public func response(
        queue: DispatchQueue = .main, completionHandler: @escaping @Sendable (AFDataResponse<Data?>) -> Void
    ) -> Self {
        addResponseHandler(on: queue) { [self] outcome in
            let response = AFDataResponse(
                request: outcome.request, response: outcome.httpResponse, data: outcome.data,
                metrics: outcome.metrics, serializationDuration: 0,
                result: outcome.error.map { Result<Data?, SessionError>.failure($0) } ?? .success(outcome.data))
            report(.didParseDataResponse(response))
            completionHandler(response)
        }
        return self
    }
}
