package import Moya
import MoyaTransport

/// A subscriber that records its events.
package final class Watcher<Value: Sendable>: Sendable {
    package typealias Event = StreamEvent<Value>

    private let kept = Lock<[Event]>([])
    private let disposal = Lock<(isWanted: Bool, action: AnyStream<Value>.Disposal?)>((false, nil))
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    /// Subscribes.
    ///
    /// - Parameter onEvent: Called for each event of the stream, once it is recorded.
    package init(_ stream: AnyStream<Value>, onEvent: @escaping (Watcher, Event) -> Void = { _, _ in }) {
        (arrivals, arrival) = AsyncStream.makeStream()
        let action = stream.subscribe { [self] event in
            kept.withLock { $0.append(event) }
            arrival.yield()
            onEvent(self, event)
        }
        let isWanted = disposal.withLock { disposal in
            disposal.action = action
            return disposal.isWanted
        }
        if isWanted { action() }
    }

    /// Disposes of the subscription; from inside the first event, too.
    package func dispose() {
        let action = disposal.withLock { disposal in
            disposal.isWanted = true
            return disposal.action
        }
        action?()
    }

    package var events: [Event] { kept.withLock { $0 } }

    package var values: [Value] { events.compactMap { if case .value(let value) = $0 { value } else { nil } } }

    /// Every event except values.
    package var ends: [Event] { events.filter { if case .value = $0 { false } else { true } } }

    package var error: MoyaError? { if case .failed(let error) = ends.first { error } else { nil } }

    package var isFinished: Bool { if case .finished = ends.first { true } else { false } }

    /// Waits for the end and returns the values before it.
    ///
    /// - Throws: ``Violation`` if the last event is not an end, or more events follow it.
    @discardableResult
    package func end() async throws -> [Value] {
        try await until { !$0.ends.isEmpty }
        return try ended()
    }

    /// The values of a stream that has ended.
    ///
    /// - Throws: ``Violation``.
    package func ended() throws -> [Value] {
        let events = events
        guard case .value? = events.last else {
            guard ends.count == 1, isFinished || error != nil else { throw Violation("told \(events)") }
            return values
        }
        throw Violation("told \(events), with no end, or one that is not the last")
    }

    /// Waits for the values of a call that succeeds.
    package func success() async throws -> [Value] {
        let values = try await end()
        guard isFinished else { throw Violation("ended with \(ends)") }
        return values
    }

    /// Waits for the error of a call that fails.
    package func failure() async throws -> MoyaError {
        try await end()
        guard let error else { throw Violation("ended with \(ends)") }
        return error
    }

    /// Waits until the events fulfil a condition.
    package func until(_ isFulfilled: (Watcher) -> Bool) async throws {
        if isFulfilled(self) { return }
        for await _ in arrivals where isFulfilled(self) { return }
        throw CancellationError()
    }
}
