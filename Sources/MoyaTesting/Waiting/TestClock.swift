public import Foundation
import MoyaTransport

/// A clock that a test advances, so that waits of hours are tested in milliseconds.
///
/// ```swift
/// let clock = TestClock()
/// let session = Session(configuration: .isolated, transport: ScriptedTransport(.response(503)))
/// let provider = MoyaProvider<API>(session: session, middleware: [RetryMiddleware(attempts: 2)], clock: clock)
/// async let response = provider.request(.unavailable)
/// try await clock.waitForSleepers(1)     // the first attempt has failed, and RetryMiddleware waits
/// clock.advanceToNextSleeper()
/// #expect(try await response.statusCode == 503)
/// ```
///
/// Time moves only with ``advance(by:)`` and ``advanceToNextSleeper()``. Each wakes the sleepers whose deadline has
/// passed, in the order of their deadlines and, if equal, of their arrival, and returns at once. To wait for a woken
/// task, await its result, or call ``waitForSleepers(_:within:)`` if it sleeps again.
public final class TestClock: Clock, Sendable {
    /// An instant of a ``TestClock``, at most a century after the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made, negative for earlier instants; at most a century.
        public var offset: Duration { didSet { offset = offset.clamped } }

        /// Makes an instant.
        ///
        /// - Parameter offset: The time since the clock was made; at most a century, before or after.
        public init(offset: Duration) { self.offset = offset.clamped }

        /// The instant after a duration, at most a century after the clock was made.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration.clamped) }

        /// The time until another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// `true` if one is earlier.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper: Sendable {
        let deadline: Instant
        let number: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: Sleeper] = [:]
        var lastNumber: UInt64 = 0

        /// Removes the sleepers whose deadline has passed, in order.
        mutating func due() -> [Sleeper] {
            let due = sleepers.values.filter { $0.deadline <= now }
                .sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
            for sleeper in due { sleepers[sleeper.number] = nil }
            return due
        }
    }

    private let state = Watched(State())
    private let start: Date

    /// Makes a clock at time zero.
    ///
    /// - Parameter date: The value of ``date`` at time zero.
    public init(date: Date = Date(timeIntervalSince1970: 1_000_000_000)) { start = date }

    /// The current instant.
    public var now: Instant { state.value.now }

    /// The current time as a date, which moves with the clock.
    public var date: Date { start.addingTimeInterval(now.offset.seconds) }

    /// Zero: instants have no smallest difference.
    public var minimumResolution: Duration { .zero }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.value.sleepers.count }

    /// The time until the next sleeper wakes; `nil` without sleepers.
    public var untilNextSleeper: Duration? {
        let state = state.value
        return state.sleepers.values.map(\.deadline).min().map { state.now.duration(to: $0) }
    }

    /// Sleeps until the clock reaches an instant; returns at once if it has passed.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let number = state.update { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.update { state in
                    guard deadline > state.now else { return true }
                    state.sleepers[number] = Sleeper(deadline: deadline, number: number, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
                // Cancelled before registration: the sleeper has to be woken here.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: UInt64) {
        let sleeper = state.update { $0.sleepers.removeValue(forKey: number) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    /// Advances the time and wakes the sleepers whose deadline has passed.
    ///
    /// - Parameter duration: The time to advance, at most to a century; negative durations have no effect.
    public func advance(by duration: Duration) {
        let due = state.update { state in
            if duration > .zero { state.now = state.now.advanced(by: duration) }
            return state.due()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Advances the time to the next deadline, and wakes all its sleepers.
    ///
    /// - Returns: `true` if any task slept.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        let due = state.update { state in
            if let next = state.sleepers.values.map(\.deadline).min() { state.now = max(state.now, next) }
            return state.due()
        }
        for sleeper in due { sleeper.continuation.resume() }
        return !due.isEmpty
    }

    /// Waits until a number of tasks sleep.
    ///
    /// - Throws: ``TestSupportError/timedOut(_:)`` if they do not within the limit, which is real time;
    ///   `CancellationError`.
    public func waitForSleepers(_ count: Int, within limit: Duration = .seconds(30)) async throws {
        try await waitForSleepers(within: limit, "\(count) sleepers") { $0 >= count }
    }

    /// Waits until no task sleeps, for example after a timer was cancelled.
    ///
    /// - Throws: ``TestSupportError/timedOut(_:)`` if one still sleeps after the limit, which is real time;
    ///   `CancellationError`.
    public func waitForNoSleepers(within limit: Duration = .seconds(30)) async throws {
        try await waitForSleepers(within: limit, "no sleepers") { $0 == 0 }
    }

    private func waitForSleepers(
        within limit: Duration, _ awaited: String, _ isFulfilled: @escaping @Sendable (Int) -> Bool
    ) async throws {
        let state = state
        _ = try await state.when(within: limit) {
            .timedOut("\(awaited) on a test clock; there are \(state.value.sleepers.count)")
        } _: {
            isFulfilled($0.sleepers.count)
        }
    }
}
