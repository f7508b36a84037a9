/// Trusts a server only when each of several evaluators does.
public final class CompositeTrustEvaluator: ServerTrustEvaluating {
    private let evaluators: [any ServerTrustEvaluating]

    /// Makes an evaluator of others; one of none refuses every server, since nothing would be checked.
    public init(evaluators: [any ServerTrustEvaluating]) { self.evaluators = evaluators }

    /// Calls each in order.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        guard !evaluators.isEmpty else {
            throw SessionError.serverTrustEvaluationFailed(
                reason: .invalidEvaluator(setting: "evaluators", problem: "is empty, so that nothing would be checked"))
        }
        for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
    }
}
