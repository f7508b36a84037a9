import Foundation
import MoyaSession

/// Reads the body of a response as it arrives; the call is made for the first chunk.
///
/// Releasing the reader ends the exchange.
final class ChunkReader: StreamReader {
    /// The head of the response, once it has arrived.
    private(set) var head: Response?
    private let open: @Sendable () async -> Result<Response, MoyaError>
    private var isOver = false
    /// `true` if another reader has the body, as of a response that a middleware has kept.
    private var isTaken = false
    /// The body of a response that is not a stream: that of a stub or of a middleware.
    private var whole: Data?

    init(open: @escaping @Sendable () async -> Result<Response, MoyaError>) { self.open = open }

    /// Makes the reader of a response that has arrived.
    convenience init(_ head: Response) {
        self.init { .success(head) }
        start(head)
    }

    deinit { cancelBody() }

    private func start(_ response: Response) {
        head = response
        if let body = response.body { isTaken = !body.claim() } else { whole = response.data }
    }

    private func cancelBody() { if !isTaken { head?.body?.cancel() } }

    /// Makes the call, unless it was already made, and returns its head.
    func connect(isolation: isolated (any Actor)?) async throws(MoyaError) -> Response {
        if let head { return head }
        do throws(MoyaError) {
            let response = try await open().get()
            start(response)
            return response
        } catch {
            isOver = true
            throw error
        }
    }

    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Data? {
        guard !isOver else { return nil }
        if _Concurrency.Task.isCancelled {
            end()
            throw .cancelled
        }
        let response = try await connect(isolation: isolation)
        do throws(MoyaError) {
            if isTaken { throw .underlying(ResponseStreamError.alreadyIterated, nil) }
            if let chunk = try await response.body?.chunk(isolation: isolation) { return chunk }
        } catch {
            isOver = true
            throw error
        }
        isOver = true
        return whole.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Ends the exchange.
    func end() {
        isOver = true
        cancelBody()
    }
}

extension StreamHandle {
    /// The next bytes; `nil` at the end.
    fileprivate func chunk(isolation: isolated (any Actor)?) async throws(MoyaError) -> Data? {
        switch await next(isolation: isolation) {
        case .bytes(let bytes): return bytes
        case .taken: throw .underlying(ResponseStreamError.alreadyIterated, nil)
        case .end:
            // Other ends, such as that of the session, also cancel the request and have their own error.
            if isCancelled, outcome?.error?.isExplicitlyCancelledError ?? true { throw .cancelled }
            if case .failure(let error)? = outcome?.result(sample: nil) { throw error }
            return nil
        }
    }
}
