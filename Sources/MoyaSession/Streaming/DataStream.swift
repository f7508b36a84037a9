public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A response whose head is there, and whose body is read as it comes: the chunks in which it came.
///
/// It can be iterated once. Leaving the loop, or cancelling its task, ends the request at once, and so does releasing the
/// stream before it was read. A loop that is slow holds the server back: about 128 KiB wait in memory, and then nothing is
/// read from the socket until the loop has caught up.
public struct DataStream: AsyncSequence, Sendable {
    /// A chunk of the body.
    public typealias Element = Data
    /// The error of a body that breaks off.
    public typealias Failure = SessionError

    private let head: RequestOutcome
    private let handle: StreamHandle
    private let iteration = Once()

    init(_ head: RequestOutcome, _ handle: StreamHandle) {
        self.head = head
        self.handle = handle
    }

    /// The status code.
    public var statusCode: Int { head.head?.status ?? 0 }

    /// The header fields.
    public var headers: HTTPHeaders { response?.headers ?? HTTPHeaders() }

    /// The request as it was sent first, before any redirect.
    public var request: URLRequest? { head.request }

    /// The response as Foundation has it, made anew with each call.
    public var response: HTTPURLResponse? { head.httpResponse }

    /// Makes the iterator; only the first one has the body.
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
        /// - Throws: ``SessionError``, after which the stream is over; ``DataStreamError/alreadyIterated`` inside for a
        ///   second iterator.
        public mutating func next() async throws(SessionError) -> Data? { try await next(isolation: nil) }

        /// The next chunk; `nil` at the end.
        ///
        /// - Throws: ``SessionError``, as ``next()`` does.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> Data? {
            guard !isOver else { return nil }
            guard let handle = reader?.handle else {
                isOver = true
                throw .misusedStream(.alreadyIterated)
            }
            if withUnsafeCurrentTask(body: { $0?.isCancelled ?? false }) { handle.cancel() }
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

/// A stream that was asked for too late or twice, inside ``SessionError/responseSerializationFailed(reason:)``.
public enum DataStreamError: Error, Sendable, Hashable {
    /// The stream was iterated before: its bytes come once.
    case alreadyIterated
    /// The request was started before its stream was asked for.
    case alreadyStarted
}

extension DataStreamError: LocalizedError, CustomStringConvertible {
    /// The reason, and what to do about it.
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
    /// Starts the request and returns its response once the head is there; the body is read as it comes.
    ///
    ///     let stream = try await session.request("https://api.example.com/export").validate().stream()
    ///     for try await chunk in stream { print(chunk.count) }
    ///
    /// The session's and the request's interceptors, redirects, challenges and cookies take part as for every request, up
    /// to the head: it is validated without a body, and a retry takes place there. Nothing is tried again later. Without a
    /// validator, a status outside 200...299 is refused. Of a refused response at most 1 MiB is kept, as the request's
    /// ``data``. The deadlines `attempt` and `total` end with the head, and `idle` watches the rest. No cache keeps the
    /// response, and no bound on its length holds.
    ///
    /// Cancelling the task cancels the request.
    ///
    /// - Throws: ``SessionError``; ``DataStreamError/alreadyStarted`` inside for a request that was started.
    public func stream() async throws(SessionError) -> DataStream {
        // A session that is released ends its requests; the stream keeps it from the head on.
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
