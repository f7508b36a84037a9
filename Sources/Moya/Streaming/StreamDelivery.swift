public import Foundation
import MoyaTransport

/// Delivers the elements of a stream to a closure on a queue, one at a time; the next one is read after the closure
/// returns.
final class StreamDelivery: Cancellable {
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
        var isCancelled = false
        var isOver = false
    }

    private let state = Lock(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task.take()
        }
        task?.cancel()
    }

    /// Starts reading.
    ///
    /// - Parameters:
    ///   - makeReader: Makes the reader; `nil` if another one has the elements.
    ///   - owner: Retained until the end, since the reader does not retain its provider.
    func start<Element>(
        _ makeReader: (@Sendable () -> any StreamReader<Element>)?, of owner: StreamOwner?,
        for receiver: Receiver<Element>
    ) {
        let task = _Concurrency.Task { [self] in
            let result = await read(makeReader, for: receiver)
            state.withLock { state in
                state.isOver = true
                state.task = nil
            }
            withExtendedLifetime(owner) {}
            receiver.queue.async { [self] in receiver.finish(self.isCancelled ? .failure(.cancelled) : result) }
        }
        let isCancelled = state.withLock { state in
            if !state.isOver, !state.isCancelled { state.task = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
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
                        if !isCancelled { receiver.receive(element) }
                        continuation.resume()
                    }
                }
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}

extension ResponseSequence {
    /// Delivers the elements to a closure on a queue, one at a time.
    ///
    /// The next element is read after the closure returns, so a slow closure slows the server down. The stream retains
    /// its provider until its end.
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
        let delivery = StreamDelivery()
        delivery.start(
            takeReader(), of: owner,
            for: StreamDelivery.Receiver(
                queue: queue ?? callbackQueue ?? .main, demand: demand, receive: receive, finish: completion))
        return delivery
    }
}
