import MoyaTransport

/// Limits the load that retries add to a backend, over all calls that share the budget.
///
/// It is a token bucket: each call adds a fraction of a token, each retry takes one, and retries need a token. With it,
/// a backend that fails every call receives 10 % more calls instead of three times as many.
///
/// A client with few calls would never fill the bucket. It has a reserve of some retries per period, which its later
/// calls pay back; a client with enough calls uses the reserve only at the start. In each period, retries are limited to
/// the fraction of the calls, or to the reserve, whichever is more.
public final class RetryBudget: Sendable {
    private struct State {
        var bucket: RetryBucket
        /// Set by the first call.
        var timeline: Timeline?
    }

    private let state: Lock<State>

    /// Makes a budget; several ``RetryMiddleware`` that share it are limited together.
    ///
    /// - Parameters:
    ///   - ratio: The fraction of a retry that a call adds; from 0 to 1, and 0 if it is NaN.
    ///   - reserve: The number of retries that are always allowed in each period; from 0 to a million.
    ///   - period: The period of a reserve; from a millisecond to a century.
    public init(ratio: Double = 0.1, reserve: Int = 10, period: Duration = .seconds(10)) {
        state = Lock(State(bucket: RetryBucket(ratio: ratio, reserve: reserve, period: period)))
    }

    /// A new default budget: 10 % of the calls, or 10 retries in 10 seconds.
    public static var standard: RetryBudget { RetryBudget() }

    /// Records a call.
    ///
    /// - Parameter clock: The clock of the periods; only that of the first call is used.
    func deposit(by clock: any Clock<Duration>) {
        let now = now(by: clock)
        state.withLock { $0.bucket.deposit(at: now) }
    }

    /// Takes a token for a retry; `true` if there was one.
    func withdraw(by clock: any Clock<Duration>) -> Bool {
        let now = now(by: clock)
        return state.withLock { $0.bucket.withdraw(at: now) }
    }

    /// Returns the token of a retry that was not made.
    func refund() { state.withLock { $0.bucket.refund() } }

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

/// The arithmetic of a ``RetryBudget``, without a lock and a clock.
package struct RetryBucket: Sendable {
    /// Tokens are counted in millionths, so that a hundred thousand calls add up.
    ///
    /// They have 64 bits on every platform: an `Int` of 32 bits is too small for a reserve of a million tokens.
    private static let token: Int64 = 1_000_000

    private let deposit: Int64
    private let capacity: Int64
    private let lendable: Int64
    private let period: Duration
    private var balance: Int64 = 0
    /// The tokens taken from the reserve, to be paid back.
    private var debt: Int64 = 0
    private var periodEnd: Duration?
    private var depositedInPeriod: Int64 = 0
    private var withdrawnInPeriod: Int64 = 0
    private var mayLend = true

    package init(ratio: Double, reserve: Int, period: Duration) {
        let ratio = ratio.isNaN ? 0 : min(max(ratio, 0), 1)
        deposit = Int64((ratio * Double(Self.token)).rounded())
        capacity = Int64(min(max(reserve, 1), 1_000_000)) * Self.token
        self.period = max(period, .milliseconds(1)).clamped
        lendable = Int64(min(max(reserve, 0), 1_000_000)) * Self.token
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

    /// Undoes a withdrawal.
    package mutating func refund() {
        let repaid = min(debt, Self.token)
        debt -= repaid
        balance = min(balance + Self.token - repaid, capacity)
        withdrawnInPeriod = max(withdrawnInPeriod - Self.token, 0)
    }

    /// Starts a new period when the last is over: a client whose calls pay enough gets no further reserve.
    private mutating func turnOver(at now: Duration) {
        guard let end = periodEnd else {
            periodEnd = now + period
            return
        }
        guard now >= end else { return }
        let isIdle = now >= end + period
        mayLend = isIdle || depositedInPeriod < lendable
        // The tokens that a slow client has taken count only for the period.
        if mayLend { debt = 0 }
        depositedInPeriod = 0
        withdrawnInPeriod = 0
        periodEnd = now + period
    }
}
