/// Trusts every server, without checking names, dates, keys and signatures: only for tests against your own servers,
/// never for release.
///
/// On Apple platforms, App Transport Security refuses a server that the system does not trust before this decides, unless
/// the app's `Info.plist` has an exception for its domain (`NSExceptionAllowsInsecureHTTPLoads`).
public final class DisabledTrustEvaluator: ServerTrustEvaluating {
    /// Makes an evaluator that accepts every server.
    public init() {}

    /// Accepts the server.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {}
}

/// The previous name of the evaluator.
@available(*, deprecated, renamed: "DisabledTrustEvaluator")
public typealias DisabledEvaluator = DisabledTrustEvaluator
