/// Trusts every server, without checking names, dates, keys and signatures: only for tests against your own servers,
/// never for release.
public final class DisabledTrustEvaluator: ServerTrustEvaluating {
    /// Makes an evaluator that accepts every server.
    public init() {}

    /// Accepts the server.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {}
}

/// The previous name of the evaluator.
@available(*, deprecated, renamed: "DisabledTrustEvaluator")
public typealias DisabledEvaluator = DisabledTrustEvaluator
