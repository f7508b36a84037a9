import Foundation
import MoyaSession
import MoyaTransport

extension MoyaProvider {
    /// Calls a target and yields the progress of the call; the last element contains the response.
    ///
    /// Each iteration starts a new call. Ending the iteration early, or cancelling its task, cancels the call. A slow
    /// consumer may miss counts, but always receives the last element.
    public func progress(of target: Target) -> ProgressSequence<Target> {
        ProgressSequence(provider: self, target: target)
    }
}

/// The progress of a call, as an asynchronous sequence.
public struct ProgressSequence<Target: TargetType>: AsyncSequence, Sendable {
    /// The progress of the call.
    public typealias Element = ProgressResponse
    /// The error of a failed call.
    public typealias Failure = MoyaError

    let provider: MoyaProvider<Target>
    let target: Target

    /// Starts the call, unless the task is cancelled.
    public func makeAsyncIterator() -> Iterator {
        let call = CancellationBox()
        let (stream, continuation) = AsyncStream.makeStream(
            of: Result<ProgressResponse, MoyaError>.self, bufferingPolicy: .bufferingNewest(16))
        continuation.onTermination = { _ in call.cancel() }
        let last = Lock(ProgressResponse())
        guard !_Concurrency.Task.isCancelled else {
            continuation.yield(.failure(.cancelled))
            continuation.finish()
            return Iterator(provider: provider, events: stream.makeAsyncIterator())
        }
        call.set(
            provider.request(
                target, callbackQueue: DispatchQueue(label: "org.moya.progress"),
                progress: { event in
                    _ = last.exchange(event)
                    // The final event is delivered below, together with the result.
                    if !event.completed { continuation.yield(.success(event)) }
                },
                completion: { result in
                    continuation.yield(result.map { last.value.with($0) })
                    continuation.finish()
                }))
        return Iterator(provider: provider, events: stream.makeAsyncIterator())
    }

    /// Yields the events of one call.
    public struct Iterator: AsyncIteratorProtocol {
        /// Retained until the call is over.
        let provider: MoyaProvider<Target>
        var events: AsyncStream<Result<ProgressResponse, MoyaError>>.Iterator

        /// Returns the next event; `nil` after the one that contains the response.
        ///
        /// - Throws: `MoyaError`.
        public mutating func next() async throws(MoyaError) -> ProgressResponse? {
            try Self.element(await events.next())
        }

        /// Returns the next event; `nil` after the one that contains the response.
        ///
        /// - Throws: `MoyaError`.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(MoyaError) -> ProgressResponse? {
            try Self.element(await events.next(isolation: actor))
        }

        private static func element(
            _ event: Result<ProgressResponse, MoyaError>?
        ) throws(MoyaError) -> ProgressResponse? {
            if _Concurrency.Task.isCancelled { throw .cancelled }
            return try event?.get()
        }
    }
}
