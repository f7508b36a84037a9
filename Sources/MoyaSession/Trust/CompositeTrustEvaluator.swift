/// Trusts a server only if all of several evaluators do.
///
/// Evaluators of revocation are called last, in nested composites too, so their place among the others does not matter:
/// an authority that only a pinned certificate names is known once that evaluator has validated the chain.
public final class CompositeTrustEvaluator: ServerTrustEvaluating {
    private let evaluators: [any ServerTrustEvaluating]

    /// Makes an evaluator from others; an empty one refuses every server, since nothing would be checked.
    public init(evaluators: [any ServerTrustEvaluating]) {
        // An empty composite stays, because it refuses.
        let flat = evaluators.flatMap { evaluator in
            guard let nested = evaluator as? Self, !nested.evaluators.isEmpty else { return [evaluator] }
            return nested.evaluators
        }
        self.evaluators =
            flat.filter { !($0 is RevocationTrustEvaluator) } + flat.filter { $0 is RevocationTrustEvaluator }
    }

    /// Calls the evaluators in order, those of revocation last.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        guard !evaluators.isEmpty else {
            throw SessionError.serverTrustEvaluationFailed(
                reason: .invalidEvaluator(setting: "evaluators", problem: "is empty, so that nothing would be checked"))
        }
        for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
    }
}

extension Array where Element == any ServerTrustEvaluating {
    /// Calls the evaluators like a ``CompositeTrustEvaluator``; an empty array refuses every server.
    public func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
        try CompositeTrustEvaluator(evaluators: self).evaluate(trust, forHost: host)
    }
}
