import MoyaTransport

/// A policy for reconnecting an event stream that has ended or broken.
///
/// It reconnects only if no event can be lost or repeated: the server sent an id, which goes back as `Last-Event-ID`; a
/// cursor returns the target that continues; or no event was delivered, and the method is idempotent (RFC 9110 section
/// 9.2.2). In all other cases the stream ends. An event without an id, after one with an id, may be
/// repeated. Each connection is a new call with middleware, plugins and deadlines.
/// A network failure and the statuses 408, 425, 429, 500, 502, 503 and 504 are retried. The status 204, any other
/// unacceptable status, and a response that is not an event stream end it permanently.
public struct Reconnection: Sendable {
    /// The maximum number of consecutive reconnections without an event.
    public var attempts: Int
    /// The wait before a connection, in addition to the server's `retry` time; a longer `Retry-After` takes its place.
    public var backoff: RetryBackoff
    /// The time that a connection has to last to reset ``backoff``.
    public var healthyTime: Duration

    private let generator: LockedGenerator

    /// Eight attempts, with maximum waits that grow from 1 s to 30 s, and full jitter.
    public static let `default` = Reconnection()

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of consecutive reconnections without an event; none if it is not positive.
    ///   - backoff: The wait before a connection, in addition to the server's `retry` time, of which at most an hour is
    ///     used.
    ///   - healthyTime: The time that a connection has to last to reset `backoff`.
    ///   - generator: The random number generator of the jitter.
    public init(
        attempts: Int = 8, backoff: RetryBackoff = .exponential(base: .seconds(1), maximum: .seconds(30)),
        healthyTime: Duration = .seconds(10),
        generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.healthyTime = healthyTime
        self.generator = LockedGenerator(generator)
    }

    /// The wait before a connection.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first after a connection that was healthy.
    ///   - retry: The server's `retry` time in milliseconds.
    func wait(before attempt: Int, retry: Int64?) -> Duration {
        let asked = Duration.milliseconds(min(max(retry ?? 0, 0), 3_600_000))
        return asked + generator.draw { backoff.wait(afterAttempt: attempt, using: &$0) }
    }
}
