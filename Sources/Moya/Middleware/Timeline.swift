import Dispatch
import MoyaSession
import MoyaTransport

/// The time since the start of a call, on any clock.
struct Timeline: Sendable {
    private enum Source: Sendable {
        /// The default clock, which the process's timer also uses.
        case continuous(ContinuousClock.Instant)
        case other(any Clock<Duration>, Measures)
    }

    private struct Measures: Sendable {
        let elapsed: @Sendable () -> Duration
        let sleep: @Sendable (Duration) async throws -> Void
    }

    private let source: Source

    init(_ clock: any Clock<Duration>) {
        // Comparing types costs a fraction of a cast.
        source =
            type(of: clock) == ContinuousClock.self ? .continuous(.now) : .other(clock, Self.measures(of: clock))
    }

    /// `true` if the clock is the default one.
    var isContinuous: Bool { if case .continuous = source { true } else { false } }

    var clock: any Clock<Duration> {
        switch source {
        case .continuous: ContinuousClock()
        case .other(let clock, _): clock
        }
    }

    /// The time since the start of the call, at most a century.
    var now: Duration {
        switch source {
        case .continuous(let start): start.duration(to: .now).clamped
        case .other(_, let measures): measures.elapsed().clamped
        }
    }

    /// The time until the limit; negative after it.
    func remaining(of bound: Duration) -> Duration { bound.clamped - now }

    /// Waits, at most a century; throws if the task is cancelled.
    func sleep(for duration: Duration) async throws {
        let duration = duration.clamped
        switch source {
        case .continuous: try await ContinuousClock().sleep(for: duration)
        case .other(_, let measures): try await measures.sleep(duration)
        }
    }

    /// Schedules an action after a duration, until the timer is cancelled; `nil` if the time is too far in the future, or
    /// has come already and the action is on its way.
    ///
    /// A user's clock only supports sleeping, which requires a task.
    func timer(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> CallTimer? {
        switch source {
        case .continuous:
            guard duration > .zero else {
                DispatchQueue.global().async(execute: action)
                return nil
            }
            return DeadlineTimer.shared.add(in: duration.seconds, action).map { .entry($0) }
        case .other(_, let measures):
            return .task(
                _Concurrency.Task {
                    guard (try? await measures.sleep(duration.clamped)) != nil else { return }
                    action()
                })
        }
    }

    /// The functions that need the clock's concrete type, for its instants.
    private static func measures<C: Clock>(of clock: C) -> Measures where C.Duration == Duration {
        let start = clock.now
        return Measures(
            elapsed: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) })
    }
}
