import Foundation

/// Says by which evaluator each host's certificates are judged.
open class ServerTrustManager: @unchecked Sendable {
    // `@unchecked`: constants only; a subclass answers for what it adds.

    /// Whether a host with no evaluator is refused, rather than left to the system.
    public let allHostsMustBeEvaluated: Bool
    /// The evaluator of each host, by its exact name in lower case.
    public let evaluators: [String: any ServerTrustEvaluating]

    /// Makes a manager.
    public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.evaluators = evaluators
    }

    /// The evaluator for a host; `nil` leaves the host to the system.
    ///
    /// - Throws: ``SessionError/ServerTrustFailureReason/noRequiredEvaluator(host:)``.
    open func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
        if let evaluator = evaluators[host] ?? evaluators[host.lowercased()] { return evaluator }
        guard allHostsMustBeEvaluated else { return nil }
        throw SessionError.serverTrustEvaluationFailed(reason: .noRequiredEvaluator(host: host))
    }
}

/// Judges what a server showed in its TLS handshake.
///
/// ### How do I write one?
/// Look at the certificates of the trust, ask for the platform's own checks with `refusal(of:)`, and throw to refuse.
/// It runs for every new connection on the transport's thread, before the first request byte: do not block on the network.
@preconcurrency
public protocol ServerTrustEvaluating: Sendable {
    /// Returns when the server may be talked to.
    ///
    /// - Throws: Why not; an error that is no ``SessionError`` ends the request as
    ///   ``SessionError/ServerTrustFailureReason/customEvaluationFailed(error:)``.
    func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws
}

/// The manager as a transport asks it.
struct ManagedTrustPolicy: TransportTrustPolicy {
    let manager: ServerTrustManager

    func evaluate(_ server: PresentedServerTrust) throws {
        guard let evaluator = try manager.serverTrustEvaluator(forHost: server.host) else {
            return try DefaultTrustEvaluator().evaluate(server, forHost: server.host)
        }
        try evaluator.evaluate(server, forHost: server.host)
    }
}
