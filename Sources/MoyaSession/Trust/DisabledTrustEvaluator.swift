/// Trusts every server: for tests against servers of one's own, never for release.
public final class DisabledTrustEvaluator: ServerTrustEvaluating {
    /// Makes an evaluator that refuses nobody.
    public init() {}

    /// Returns.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {}
}

/// The name that the evaluator had before.
@available(*, deprecated, renamed: "DisabledTrustEvaluator")
public typealias DisabledEvaluator = DisabledTrustEvaluator
