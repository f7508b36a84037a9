/// Evaluates a server like the system: its chain, including the strength of keys and signatures, and its names.
public final class DefaultTrustEvaluator: ServerTrustEvaluating {
    private let validateHost: Bool

    /// Makes an evaluator.
    ///
    /// - Parameter validateHost: `true` if the certificate's names must match the host.
    public init(validateHost: Bool = true) { self.validateHost = validateHost }

    /// Runs the platform's check of the chain.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        try trust.pass(PlatformValidation(matchesHost: validateHost))
    }
}
