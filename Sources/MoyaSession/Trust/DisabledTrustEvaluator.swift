/// Trusts every server, whatever its names, dates, keys and signatures: for tests against servers of one's own, never for
/// release.
public final class DisabledTrustEvaluator: ServerTrustEvaluating {
    /// Makes an evaluator that accepts every server.
    public init() {}

    /// Returns.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {}
}

/// The name that the evaluator had before.
@available(*, deprecated, renamed: "DisabledTrustEvaluator")
public typealias DisabledEvaluator = DisabledTrustEvaluator
