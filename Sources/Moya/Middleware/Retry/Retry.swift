public import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A target that says itself whether its calls may be sent more than once.
public protocol RepeatableTarget: TargetType {
    /// `true` if a call that was sent twice does no more than one that was sent once; this wins over the method and
    /// over an idempotency key.
    var isRepeatable: Bool { get }
}

/// A middleware that calls again what failed for a reason that may pass.
///
///     Retry(attempts: 3, backoff: .exponential(base: .milliseconds(200), jitter: .full), budget: .standard)
///
/// ### Retried calls
/// Only what may be sent more than once: a ``RepeatableTarget`` that says so; else a request with a field
/// `Idempotency-Key`, or an idempotent method (RFC 9110 section 9.2.2: GET, HEAD, OPTIONS, TRACE, QUERY, PUT, DELETE). A
/// body that is a stream is never sent again, unless a closure makes it for each attempt. Every attempt has the same
/// request, its idempotency key included.
///
/// ### Retries
/// After a failure of the network (no name, no connection, a broken one, a deadline of the attempt), and after the
/// status codes 408, 429, 500, 502, 503 and 504, whether these are errors to the target or not. After its wait by the
/// ``Backoff``, or the server's `Retry-After`, whichever is longer.
///
/// ### No retries
/// Once there were as many attempts as allowed, once the ``RetryBudget`` is spent, when the wait would pass the call's
/// total deadline, and when the server's `Retry-After` is longer than `longestRetryAfter`. The call then ends as its
/// last attempt did.
public struct Retry: Middleware {
    /// The status codes that may pass, by default.
    public static let defaultStatusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]

    private let rules: RetryRules
    private let budget: RetryBudget
    private let statusCodes: Set<Int>
    private let chance: LockedGenerator
    private let now: @Sendable () -> Date

    /// Makes a middleware.
    ///
    /// - Parameters:
    ///   - attempts: The greatest number of attempts of a call, the first included; below 1 it is 1.
    ///   - backoff: The wait between two of them.
    ///   - budget: Bounds the retries of all calls together.
    ///   - statusCodes: The status codes after which a call is made again.
    ///   - longestRetryAfter: The longest `Retry-After` that is obeyed; with a longer one, the call ends.
    ///   - generator: The chance of the backoff; a seeded one makes the same waits with every run.
    ///   - now: The time that a date in `Retry-After` is counted from.
    public init(
        attempts: Int = 3,
        backoff: Backoff = .exponential(base: .milliseconds(200), jitter: .full),
        budget: RetryBudget = .standard,
        statusCodes: Set<Int> = Retry.defaultStatusCodes,
        longestRetryAfter: Duration = .seconds(60),
        generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        rules = RetryRules(attempts: max(attempts, 1), backoff: backoff, longestRetryAfter: longestRetryAfter)
        self.budget = budget
        self.statusCodes = statusCodes
        chance = LockedGenerator(generator)
        self.now = now
    }

    /// Passes the call on until it ends well, or is not to be made again.
    public func intercept(_ call: Call, next: Next) async throws(MoyaError) -> Response {
        budget.deposit(by: call.clock)
        var call = call
        var attempts = 1
        while true {
            let result: Result<Response, MoyaError>
            do throws(MoyaError) {
                result = .success(try await next(call))
            } catch {
                result = .failure(error)
            }
            guard case .wait(let duration) = decide(after: attempts, result, of: call) else { return try result.get() }
            try await call.wait(for: duration)
            attempts += 1
            call = call.again()
        }
    }

    private func decide(
        after attempts: Int, _ result: Result<Response, MoyaError>, of call: Call
    ) -> RetryRules.Decision {
        let outcome = RetryRules.Outcome(result, statusCodes: statusCodes, now: now())
        guard outcome != .final, !_Concurrency.Task.isCancelled else { return .stop }
        let decision = chance.draw { generator in
            rules.decide(
                after: attempts, outcome, isRepeatable: call.isRepeatable, remaining: call.remaining, using: &generator)
        }
        guard case .wait = decision, budget.withdraw(by: call.clock) else { return .stop }
        return decision
    }
}

extension Call {
    /// `true` if the call may be sent more than once.
    var isRepeatable: Bool {
        guard isReplayable else { return false }
        if let target = target as? any RepeatableTarget { return target.isRepeatable }
        if let key = request.value(forHTTPHeaderField: "Idempotency-Key"), !key.isEmpty { return true }
        return HTTPRequest.isIdempotent(request.httpMethod ?? "GET")
    }
}
