/// Trusts a server only if all of several evaluators do.
public final class CompositeTrustEvaluator: ServerTrustEvaluating {
    private let evaluators: [any ServerTrustEvaluating]

    /// Makes an evaluator from others; an empty one refuses every server, since nothing would be checked.
    public init(evaluators: [any ServerTrustEvaluating]) { self.evaluators = evaluators }

    /// Calls the evaluators in order.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        guard !evaluators.isEmpty else {
            throw SessionError.serverTrustEvaluationFailed(
                reason: .invalidEvaluator(setting: "evaluators", problem: "is empty, so that nothing would be checked"))
        }
        for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
    }
}
