import MoyaTransport

/// When a stream of events that has ended or broken is connected again.
///
/// Only where nothing can be lost or come twice: the server gave an id, which is sent back as `Last-Event-ID`; a cursor names
/// the target that goes on; or no event was delivered, and the method is idempotent (RFC 9110 section 9.2.2). Everything else
/// ends as it does without this. Each connection is a call like the first: middleware, plugins and deadlines apply anew. The
/// status 204, a status that does not pass, and a response that is no stream of events end it for good.
public struct Reconnection: Sendable {
    /// How many connections in a row may bring no event.
    public var attempts: Int
    /// The wait before a connection, in addition to what the server asks for by `retry`.
    public var backoff: Backoff
    /// How long a connection has to last for ``backoff`` to begin anew.
    public var healthyTime: Duration

    private let generator: LockedGenerator

    /// Eight attempts, with waits that grow from at most 1 s to at most 30 s with full jitter.
    public static let `default` = Reconnection()

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - attempts: How many connections in a row may bring no event.
    ///   - backoff: The wait before a connection, in addition to what the server asks for by `retry`, of which at most an
    ///     hour is waited.
    ///   - healthyTime: How long a connection has to last for `backoff` to begin anew.
    ///   - generator: The source of jitter.
    public init(
        attempts: Int = 8, backoff: Backoff = .exponential(base: .seconds(1), maximum: .seconds(30)),
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
    ///   - retry: How many milliseconds the server asks for.
    func wait(before attempt: Int, retry: Int64?) -> Duration {
        let asked = Duration.milliseconds(min(max(retry ?? 0, 0), 3_600_000))
        return asked + generator.draw { backoff.wait(afterAttempt: attempt, using: &$0) }
    }
}
