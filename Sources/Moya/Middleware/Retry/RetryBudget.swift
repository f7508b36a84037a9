import MoyaTransport

/// Bounds how much load retries add to a backend, over all calls that share the budget.
///
/// It is a bucket of tokens: each call puts a fraction of one in, each retry takes one out, and with an empty bucket
/// nothing is retried. A backend that fails every call so gets 10 % more instead of three times as much.
///
/// A client that makes few calls would never fill the bucket. It has a reserve, of some retries in a period, which it
/// pays back with the calls that follow; a client that makes enough calls has none but at the start. Over any time, the
/// retries are at most the fraction of the calls, or the reserve, whichever is more.
public final class RetryBudget: Sendable {
    private struct State {
        var bucket: RetryBucket
        /// Begun by the first call.
        var timeline: Timeline?
    }

    private let state: Lock<State>

    /// Makes a budget; give the same one to several ``Retry`` middleware to bound them together.
    ///
    /// - Parameters:
    ///   - ratio: The number of retries that a call pays for; from 0 to 1, and 0 when it is NaN.
    ///   - reserve: The number of retries allowed in each period even so; from 0 to a million.
    ///   - period: The time that a reserve has to last; from a millisecond to a century.
    public init(ratio: Double = 0.1, reserve: Int = 10, period: Duration = .seconds(10)) {
        state = Lock(State(bucket: RetryBucket(ratio: ratio, reserve: reserve, period: period)))
    }

    /// A new budget each time: 10 % of the calls, or 10 retries in 10 seconds.
    public static var standard: RetryBudget { RetryBudget() }

    /// Counts a call.
    ///
    /// - Parameter clock: Measures the periods; that of the first call counts.
    func deposit(by clock: any Clock<Duration>) {
        let now = now(by: clock)
        state.withLock { $0.bucket.deposit(at: now) }
    }

    /// `true` if a retry may be made; takes its token out if so.
    func withdraw(by clock: any Clock<Duration>) -> Bool {
        let now = now(by: clock)
        return state.withLock { $0.bucket.withdraw(at: now) }
    }

    /// The time since the first call; read without the lock, because a clock may make calls.
    private func now(by clock: any Clock<Duration>) -> Duration {
        if let timeline = state.withLock({ $0.timeline }) { return timeline.now }
        let begun = Timeline(clock)
        let timeline = state.withLock { state in
            state.timeline = state.timeline ?? begun
            return state.timeline ?? begun
        }
        return timeline.now
    }
}

/// The arithmetic of a ``RetryBudget``: no lock and no clock.
package struct RetryBucket: Sendable {
    /// Tokens are counted in millionths, so that a hundred thousand of them add up.
    private static let token = 1_000_000

    private let deposit: Int
    private let capacity: Int
    private let lendable: Int
    private let period: Duration
    private var balance = 0
    /// The tokens that were taken from the reserve and are to be paid back.
    private var debt = 0
    private var periodEnd: Duration?
    private var depositedInPeriod = 0
    private var withdrawnInPeriod = 0
    private var mayLend = true

    package init(ratio: Double, reserve: Int, period: Duration) {
        let ratio = ratio.isNaN ? 0 : min(max(ratio, 0), 1)
        deposit = Int((ratio * Double(Self.token)).rounded())
        capacity = min(max(reserve, 1), 1_000_000) * Self.token
        self.period = max(period, .milliseconds(1)).clamped
        mayLend = reserve > 0
        lendable = min(max(reserve, 0), 1_000_000) * Self.token
    }

    package mutating func deposit(at now: Duration) {
        turnOver(at: now)
        depositedInPeriod += deposit
        let paid = min(debt, deposit)
        debt -= paid
        balance = min(balance + deposit - paid, capacity)
    }

    package mutating func withdraw(at now: Duration) -> Bool {
        turnOver(at: now)
        if balance >= Self.token {
            balance -= Self.token
        } else {
            guard mayLend, withdrawnInPeriod + Self.token <= lendable else { return false }
            debt += Self.token
        }
        withdrawnInPeriod += Self.token
        return true
    }

    /// Begins a new period when the last is over: one who pays enough by calls gets no further reserve.
    private mutating func turnOver(at now: Duration) {
        guard let end = periodEnd else {
            periodEnd = now + period
            return
        }
        guard now >= end else { return }
        let isIdle = now >= end + period
        mayLend = isIdle || depositedInPeriod < lendable
        // The tokens that a slow client has taken count for the period only.
        if mayLend { debt = 0 }
        depositedInPeriod = 0
        withdrawnInPeriod = 0
        periodEnd = now + period
    }
}
