public import Foundation
import MoyaTransport

/// Delivers the elements of a stream to a closure on a queue, one at a time; the next one is read after the closure
/// returns.
///
/// The stream ends as cancelled if its provider is released.
final class StreamDelivery: Cancellable, ActiveCall {
    /// The receiver of a stream.
    struct Receiver<Element: Sendable>: Sendable {
        var queue: DispatchQueue
        /// Waits until another element is requested; `false` if none will be.
        var demand: (@Sendable () async -> Bool)?
        let receive: @Sendable (Element) -> Void
        /// Called once, after the last element.
        let finish: @Sendable (Result<Void, MoyaError>) -> Void
    }

    private struct State {
        var task: _Concurrency.Task<Void, Never>?
        /// `true` if ``StreamDelivery/cancel()`` was called, and not if its provider was released.
        var isCancelled = false
        var isStopped = false
        var isOver = false
    }

    private let calls: ActiveCalls?
    /// Under the lock of ``calls``.
    nonisolated(unsafe) var index: Int?
    private let state = Lock(State())

    init(among calls: ActiveCalls?) { self.calls = calls }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        stop()
    }

    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task.take()
        }
        task?.cancel()
    }

    /// Starts reading.
    ///
    /// - Parameter makeReader: Makes the reader; `nil` if another one has the elements.
    func start<Element>(
        _ makeReader: (@Sendable () -> any StreamReader<Element>)?, for receiver: Receiver<Element>
    ) {
        calls?.insert(self)
        let task = _Concurrency.Task { [self] in
            let result = await read(makeReader, for: receiver)
            state.withLock { state in
                state.isOver = true
                state.task = nil
            }
            calls?.remove(self)
            receiver.queue.async { receiver.finish(result) }
        }
        let isStopped = state.withLock { state in
            if !state.isOver, !state.isStopped { state.task = task }
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    private func read<Element>(
        _ makeReader: (@Sendable () -> any StreamReader<Element>)?, for receiver: Receiver<Element>
    ) async -> Result<Void, MoyaError> {
        guard let reader = makeReader?() else { return .failure(.underlying(ResponseStreamError.alreadyIterated, nil)) }
        do throws(MoyaError) {
            while let element = try await reader.next(isolation: nil) {
                if let demand = receiver.demand, await !demand() { return .failure(.cancelled) }
                await withUnsafeContinuation { continuation in
                    receiver.queue.async { [self] in
                        if !isStopped { receiver.receive(element) }
                        continuation.resume()
                    }
                }
            }
            return isStopped ? .failure(.cancelled) : .success(())
        } catch {
            return .failure(error)
        }
    }
}

extension ResponseSequence {
    /// Delivers the elements to a closure on a queue, one at a time.
    ///
    /// The next element is read after the closure returns, so a slow closure slows the server down. Keep the provider:
    /// when it is released, the stream ends as cancelled. The bytes of a ``StreamedResponse`` need no provider.
    ///
    /// - Parameters:
    ///   - queue: The queue of the closures: this one, else the provider's, else the main queue.
    ///   - receive: Called with each element, but not after cancellation.
    ///   - completion: Called exactly once, after the last element. An element that cannot be decoded ends the stream.
    /// - Returns: A value that cancels the stream.
    @discardableResult
    public func forEach(
        on queue: DispatchQueue? = nil, _ receive: @escaping @Sendable (Element) -> Void,
        completion: @escaping @Sendable (Result<Void, MoyaError>) -> Void
    ) -> any Cancellable {
        deliver(on: queue, demand: nil, receive, completion: completion)
    }

    /// Delivers elements as they are requested.
    ///
    /// - Parameter demand: Waits until another element is requested; `false` if none will be. The end needs no demand.
    func deliver(
        on queue: DispatchQueue?, demand: (@Sendable () async -> Bool)?,
        _ receive: @escaping @Sendable (Element) -> Void,
        completion: @escaping @Sendable (Result<Void, MoyaError>) -> Void
    ) -> any Cancellable {
        let delivery = StreamDelivery(among: owner?.calls)
        delivery.start(
            takeReader(),
            for: StreamDelivery.Receiver(
                queue: queue ?? callbackQueue ?? .main, demand: demand, receive: receive, finish: completion))
        return delivery
    }
}
