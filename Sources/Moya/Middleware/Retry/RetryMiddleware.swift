public import Foundation
import MoyaSession
import MoyaTransport

/// A target that declares whether its calls may be sent more than once.
public protocol RepeatableTarget: TargetType {
    /// `true` if sending a call twice has the same effect as sending it once; overrides the method and an idempotency
    /// key.
    var isRepeatable: Bool { get }
}

/// A middleware that retries calls after transient failures.
///
///     RetryMiddleware(attempts: 3, backoff: .exponential(base: .milliseconds(200), jitter: .full), budget: .standard)
///
/// ### Retried calls
/// It retries only calls that may be sent more than once: a ``RepeatableTarget`` that declares so; otherwise a request
/// with an `Idempotency-Key` field, or an idempotent method (RFC 9110 section 9.2.2: GET, HEAD, OPTIONS, TRACE, QUERY,
/// PUT, DELETE). A streamed body is never sent again, unless a closure makes it for each attempt. Every attempt has the
/// same request, including its idempotency key.
///
/// ### Retries
/// It retries after a network failure (name resolution, connection, broken connection, attempt deadline), and after the
/// status codes 408, 429, 500, 502, 503 and 504, whether or not the target treats them as errors. It waits for the
/// ``RetryBackoff`` or the server's `Retry-After`, whichever is longer. A response in the session's cache does not
/// answer its own retry.
///
/// ### No retries
/// It stops after the maximum number of attempts, when the ``RetryBudget`` is empty, when the wait would exceed the
/// call's total deadline, and when the server's `Retry-After` is longer than `longestRetryAfter`. The call then ends
/// with the result of its last attempt.
public struct RetryMiddleware: MoyaMiddleware {
    /// The default status codes of transient failures.
    public static let defaultStatusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]

    private let rules: RetryRules
    private let budget: RetryBudget
    private let statusCodes: Set<Int>
    private let generator: LockedGenerator
    private let now: @Sendable () -> Date

    /// Makes a middleware.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts of a call, including the first; values below 1 count as 1.
    ///   - backoff: The wait between two attempts.
    ///   - budget: The limit of retries over all calls.
    ///   - statusCodes: The status codes that cause a retry.
    ///   - longestRetryAfter: The longest accepted `Retry-After`; a call with a longer one ends.
    ///   - generator: The random number generator of the backoff; with a seeded one, every run has the same waits.
    ///   - now: The reference time for a date in `Retry-After`.
    public init(
        attempts: Int = 3,
        backoff: RetryBackoff = .exponential(base: .milliseconds(200), jitter: .full),
        budget: RetryBudget = .standard,
        statusCodes: Set<Int> = RetryMiddleware.defaultStatusCodes,
        longestRetryAfter: Duration = .seconds(60),
        generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        rules = RetryRules(attempts: max(attempts, 1), backoff: backoff, longestRetryAfter: longestRetryAfter)
        self.budget = budget
        self.statusCodes = statusCodes
        self.generator = LockedGenerator(generator)
        self.now = now
    }

    /// Passes the call on until it succeeds or may not be retried.
    public func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
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
            guard let wait = wait(after: attempts, result, of: call) else { return try result.get() }
            do throws(MoyaError) {
                try await call.wait(for: wait)
            } catch {
                budget.refund()
                throw error
            }
            attempts += 1
            call = call.again()
            if result.response?.cacheStatus?.isInCache == true { call.reloads = true }
        }
    }

    /// The wait before another attempt; `nil` for none.
    private func wait(
        after attempts: Int, _ result: Result<Response, MoyaError>, of call: MiddlewareCall
    ) -> Duration? {
        let outcome = RetryRules.Outcome(result, statusCodes: statusCodes, now: now())
        guard outcome != .final, !_Concurrency.Task.isCancelled else { return nil }
        let wait = generator.draw { generator in
            rules.wait(
                after: attempts, outcome, isRepeatable: call.isRepeatable, remaining: call.remaining, using: &generator)
        }
        return wait != nil && budget.withdraw(by: call.clock) ? wait : nil
    }
}

extension MiddlewareCall {
    /// `true` if the call may be sent more than once.
    var isRepeatable: Bool {
        guard isReplayable else { return false }
        if let target = target as? any RepeatableTarget { return target.isRepeatable }
        if let key = request.value(forHTTPHeaderField: "Idempotency-Key"), !key.isEmpty { return true }
        return HTTPRequest.isIdempotent(request.httpMethod ?? "GET")
    }
}
