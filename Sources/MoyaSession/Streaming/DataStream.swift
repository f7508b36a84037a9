public import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A response whose head has arrived, and whose body is read in chunks as they arrive.
///
/// It can be iterated once. Leaving the loop, cancelling its task, or releasing the unread stream ends the request at
/// once. A slow loop slows the server down: once about 128 KiB wait in memory, nothing more is read from the socket
/// until the loop catches up.
public struct DataStream: AsyncSequence, Sendable {
    /// A chunk of the body.
    public typealias Element = Data
    /// The error of a truncated body.
    public typealias Failure = SessionError

    private let head: RequestOutcome
    private let handle: StreamHandle
    private let iteration = Once()

    init(_ head: RequestOutcome, _ handle: StreamHandle) {
        self.head = head
        self.handle = handle
    }

    /// The head as it arrived, with every field line separate.
    package var transportHead: TransportResponseHead? { head.head }

    /// The status code.
    public var statusCode: Int { head.head?.status ?? 0 }

    /// The header fields.
    public var headers: HTTPHeaders { response?.headers ?? HTTPHeaders() }

    /// The request as first sent, before any redirect.
    public var request: URLRequest? { head.request }

    /// The Foundation response, newly created with each call.
    public var response: HTTPURLResponse? { head.httpResponse }

    /// Makes the iterator; only the first one receives the body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: iteration.isFirst() ? Iterator.Reader(handle) : nil)
    }

    /// Yields the chunks of one body.
    public struct Iterator: AsyncIteratorProtocol {
        /// Ends the request when its iterator is released.
        fileprivate final class Reader: Sendable {
            let handle: StreamHandle

            init(_ handle: StreamHandle) { self.handle = handle }

            deinit { handle.cancel() }
        }

        private let reader: Reader?
        private var isOver = false

        fileprivate init(reader: Reader?) { self.reader = reader }

        /// The next chunk; `nil` at the end.
        ///
        /// - Throws: ``SessionError``, which ends the stream; with ``DataStreamError/alreadyIterated`` inside for a
        ///   second iterator.
        public mutating func next() async throws(SessionError) -> Data? { try await next(isolation: nil) }

        /// The next chunk; `nil` at the end.
        ///
        /// - Throws: ``SessionError``, like ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> Data? {
            guard !isOver else { return nil }
            guard let handle = reader?.handle else {
                isOver = true
                throw .misusedStream(.alreadyIterated)
            }
            if _Concurrency.Task.isCancelled {
                handle.cancel()
                isOver = true
                // A request that was over before has no error, although its bytes wait.
                throw handle.outcome?.error ?? .explicitlyCancelled
            }
            if !handle.isCancelled {
                switch await handle.next(isolation: actor) {
                case .bytes(let bytes): return bytes
                case .taken: throw .misusedStream(.alreadyIterated)
                case .end: break
                }
            }
            isOver = true
            if let error = handle.outcome?.error { throw error }
            if handle.isCancelled { throw .explicitlyCancelled }
            return nil
        }
    }
}

/// The error of a stream that was requested too late or twice, inside
/// ``SessionError/responseSerializationFailed(reason:)``.
public enum DataStreamError: Error, Sendable, Hashable {
    /// The stream was already iterated, and its bytes are available only once.
    case alreadyIterated
    /// The request was started before its stream was requested.
    case alreadyStarted
}

extension DataStreamError: LocalizedError, CustomStringConvertible {
    /// The reason and the remedy.
    public var description: String {
        switch self {
        case .alreadyIterated: "The stream was iterated before; make a request for each iteration."
        case .alreadyStarted: "The request was started before; call stream() instead of resume() and response(_:)."
        }
    }

    /// The description.
    public var errorDescription: String? { description }
}

extension SessionError {
    fileprivate static func misusedStream(_ error: DataStreamError) -> SessionError {
        .responseSerializationFailed(reason: .customSerializationFailed(error: error))
    }
}

extension DataRequest {
    /// Starts the request and returns its response once the head arrives; the body is read as it arrives.
    ///
    ///     let stream = try await session.request("https://api.example.com/export").validate().stream()
    ///     for try await chunk in stream { print(chunk.count) }
    ///
    /// Interceptors of the session and the request, redirects, challenges and cookies apply as for every request, up to
    /// the head: it is validated without a body, and a retry happens there. Nothing is retried later. Without a
    /// validator, a status outside 200...299 is refused. Of a refused response at most 1 MiB is kept, as the request's
    /// ``data``. The deadlines `attempt` and `total` end with the head, and `idle` covers the rest. Of the caches,
    /// only an ``HTTPCache`` stores the response. Its length is not limited, unless the request limits it.
    ///
    /// Cancelling the task cancels the request.
    ///
    /// - Throws: ``SessionError``; with ``DataStreamError/alreadyStarted`` inside for a request that was started.
    public func stream() async throws(SessionError) -> DataStream {
        // A released session ends its requests; the stream retains it after the head.
        let session = delegate
        defer { withExtendedLifetime(session) {} }
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in open(StreamOpening(continuation)) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func open(_ opening: StreamOpening) {
        let isReady = mutableState.withLock { state in
            guard state.machine.state == .initialized, stream == nil else { return false }
            stream = ResponseStream()
            state.endObserver = opening
            return true
        }
        guard isReady else { return opening.end(with: .failure(error ?? .misusedStream(.alreadyStarted))) }
        resume()
    }
}

/// Resumes the task that waits for the head of a response.
private final class StreamOpening: RequestEndObserver {
    private let continuation: UnsafeContinuation<Result<DataStream, SessionError>, Never>

    init(_ continuation: UnsafeContinuation<Result<DataStream, SessionError>, Never>) {
        self.continuation = continuation
    }

    func end(with result: Result<DataStream, SessionError>) { continuation.resume(returning: result) }

    func didEnd(_ request: Request) {
        let outcome = request.outcome
        let code = outcome?.head?.status ?? 0
        end(with: .failure(outcome?.error ?? .responseValidationFailed(reason: .unacceptableStatusCode(code: code))))
    }

    func didOpen(_ request: Request, _ outcome: RequestOutcome) {
        end(with: .success(DataStream(outcome, StreamHandle(request))))
    }
}
