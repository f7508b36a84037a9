public import Foundation
import MoyaSession

/// A part of a streamed response.
public enum StreamPart: Sendable {
    /// The head, always first: a response without data.
    case head(Response)
    /// The next chunk of the body.
    case chunk(Data)

    /// The head, if this part is the head.
    public var head: Response? { if case .head(let response) = self { response } else { nil } }

    /// The bytes, if this part is a chunk.
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
            // Of a stream, the data is empty, and its trailers come with the end of the body.
            let response = try await chunks.connect(isolation: isolation)
            return .head(response.body == nil ? response.with(Data()) : response)
        }
        return try await chunks.next(isolation: isolation).map { .chunk($0) }
    }
}

extension MoyaProvider {
    /// Calls a target and delivers its response to closures as it arrives: the head, then the bytes.
    ///
    /// The next chunk is read after the closure returns, so a slow closure slows the server down. For lines, JSON
    /// values and events, use ``ResponseSequence/forEach(on:_:completion:)``. The stream retains its provider until its
    /// end.
    ///
    /// - Parameters:
    ///   - target: The target to call.
    ///   - deadlines: The time limits of the call; a `nil` limit is that of the target and the provider.
    ///   - callbackQueue: The queue of the closures: this one, else the provider's, else the main queue.
    ///   - head: Called once with the head, a response without data; not if the call fails before.
    ///   - chunk: Called with each chunk of the body, but not after cancellation.
    ///   - completion: Called exactly once, after the last chunk.
    /// - Returns: A value that cancels the call.
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
