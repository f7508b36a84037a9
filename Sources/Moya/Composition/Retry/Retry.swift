public import Foundation
import MoyaSession
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A target that says itself whether its calls may be sent more than once.
public protocol RepeatableTarget: TargetType {
    /// Whether a call that was sent twice does no more than one that was sent once; this wins over the method and over
    /// an idempotency key.
    var isRepeatable: Bool { get }
}

/// A layer that calls again what failed for a reason that may pass.
///
///     Retry(attempts: 3, backoff: .exponential(base: .milliseconds(200), jitter: .full), budget: .standard)
///
/// ### What is called again?
/// Only what may be sent more than once: a ``RepeatableTarget`` that says so; else a request with a field
/// `Idempotency-Key`, or an idempotent method (RFC 9110 section 9.2.2: GET, HEAD, OPTIONS, TRACE, PUT, DELETE). A body
/// that is a stream is never sent again. Every attempt has the same request, its idempotency key included.
///
/// ### When?
/// After a failure of the network (no name, no connection, a broken one, a deadline of the attempt), and after the status
/// codes 408, 429, 500, 502, 503 and 504, whether these are errors to the target or not. After its wait by the
/// ``Backoff``, or what the server asks for in `Retry-After`, whichever is longer.
///
/// ### When not?
/// Once there were as many attempts as allowed, once the ``RetryBudget`` is spent, when the wait would pass the call's
/// total deadline, and when the server asks for a wait longer than `longestRetryAfter`. The call then ends as its last
/// attempt did.
public struct Retry: Layer {
    /// The status codes that may pass, by default.
    public static let defaultStatusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]

    private let rules: RetryRules
    private let budget: RetryBudget
    private let statusCodes: Set<Int>
    private let chance: Chance
    private let now: @Sendable () -> Date

    /// Makes a layer.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts a call has, the first included; below 1 it is 1.
    ///   - backoff: How long to wait between two of them.
    ///   - budget: Bounds the retries of all calls together.
    ///   - statusCodes: The status codes after which a call is made again.
    ///   - longestRetryAfter: What a server may ask to wait; asked for longer, the call ends.
    ///   - generator: The chance of the backoff; a seeded one makes the same waits with every run.
    ///   - now: What a date in `Retry-After` is counted from.
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
        chance = Chance(generator)
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

/// A generator of any kind, behind a lock.
private final class Chance: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    init(_ generator: some RandomNumberGenerator & Sendable) { self.generator = Mutex(generator) }

    func draw<Value: Sendable>(_ body: (inout AnyGenerator) -> Value) -> Value {
        generator.withLock { generator in
            var any = AnyGenerator(generator: generator)
            defer { generator = any.generator }
            return body(&any)
        }
    }

    struct AnyGenerator: RandomNumberGenerator {
        var generator: any RandomNumberGenerator & Sendable

        mutating func next() -> UInt64 { generator.next() }
    }
}

extension Call {
    /// Whether the call may be sent more than once.
    var isRepeatable: Bool {
        guard isReplayable else { return false }
        if let target = target as? any RepeatableTarget { return target.isRepeatable }
        if let key = request.value(forHTTPHeaderField: "Idempotency-Key"), !key.isEmpty { return true }
        switch request.httpMethod ?? "GET" {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": return true
        default: return false
        }
    }
}
