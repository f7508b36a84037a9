public import Foundation
import MoyaSession

/// A part of a response that is streamed.
public enum StreamPart: Sendable {
    /// The head, once, and first: a response without data.
    case head(Response)
    /// The next chunk of the body, as it came.
    case chunk(Data)

    /// The head, if this is it.
    public var head: Response? { if case .head(let response) = self { response } else { nil } }

    /// The bytes, if these are bytes.
    public var chunk: Data? { if case .chunk(let data) = self { data } else { nil } }
}

/// Reads a response: its head, then its chunks.
final class PartReader: StreamReader {
    private let chunks: ChunkReader
    private var hasHead = false

    init(_ chunks: ChunkReader) { self.chunks = chunks }

    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> StreamPart? {
        guard hasHead else {
            hasHead = true
            // The body is not the receiver's to read.
            return .head(try await chunks.connect(isolation: isolation).with(Data()))
        }
        return try await chunks.next(isolation: isolation).map { .chunk($0) }
    }
}

extension MoyaProvider {
    /// Calls a target and hands its response to closures as it comes: the head, then the bytes.
    ///
    /// The next chunk is read when the closure has returned, so that a slow closure holds the server back. Lines, JSON
    /// values and events have ``ResponseSequence/forEach(on:_:completion:)``. Keep the provider: once it is released, the
    /// stream ends as cancelled.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - deadlines: How long the call may take; as the target and the provider say where a limit is `nil`.
    ///   - callbackQueue: The queue of the closures: this one, else the provider's, else the main queue.
    ///   - head: Called once with the head, a response without data; not for a call that fails before.
    ///   - chunk: Called with each chunk of the body; never after the call was cancelled.
    ///   - completion: Called exactly once, after the last chunk.
    /// - Returns: Cancels the call.
    @discardableResult
    public func streamRequest(
        _ target: Target, deadlines: Deadlines? = nil, callbackQueue: DispatchQueue? = nil,
        head: (@Sendable (Response) -> Void)? = nil, chunk: @escaping @Sendable (Data) -> Void,
        completion: @escaping @Sendable (Result<Void, MoyaError>) -> Void
    ) -> any Cancellable {
        parts(of: target, deadlines: deadlines).forEach(
            on: callbackQueue,
            { part in
                switch part {
                case .head(let response): head?(response)
                case .chunk(let data): chunk(data)
                }
            }, completion: completion)
    }
}
