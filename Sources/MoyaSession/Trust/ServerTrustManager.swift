/// Maps each host to the evaluator of its certificates.
open class ServerTrustManager: @unchecked Sendable {
    // `@unchecked`: only constants; a subclass is responsible for its own state.

    /// `true` to refuse a host without an evaluator, instead of leaving it to the system.
    public let allHostsMustBeEvaluated: Bool
    /// The evaluator of each host, with the original keys.
    public let evaluators: [String: any ServerTrustEvaluating]
    private let table: Result<[HostPattern: any ServerTrustEvaluating], SessionError>

    /// Makes a manager.
    ///
    /// A key is a host in any spelling: a name in upper or lower case, with or without a trailing dot, in Unicode or in
    /// ASCII (`bücher.example`, `xn--bcher-kva.example`); an IPv4 address; an IPv6 address with or without brackets. Or
    /// it is `*.` and a name, for every host with exactly one more label, as in certificates (RFC 9525 section 6.3); a
    /// host's own key takes precedence.
    ///
    /// Other keys are errors: one in another form (a URL, a host with a port, another wildcard) matches no host, a
    /// wildcard on a public suffix (`*.com`, `*.co.uk`) matches hosts of other owners, and of two keys for one host one
    /// would be ignored. With such keys every request of a session ends with
    /// ``SessionError/ServerTrustFailureReason/invalidEvaluator(setting:problem:)``, which names the key. In a
    /// subclass, which may read keys of another form, only ``serverTrustEvaluator(forHost:)`` throws it.
    ///
    /// - Parameters:
    ///   - allHostsMustBeEvaluated: `true` to refuse a host without an evaluator, instead of leaving it to the system.
    ///   - evaluators: The evaluator of each host.
    public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.evaluators = evaluators
        table = Result { () throws(SessionError) in try HostPattern.table(of: evaluators) }
    }

    /// The reason that no request may be sent with the manager; `nil` if the keys are valid, or a subclass may read
    /// others.
    var configurationError: SessionError? {
        guard type(of: self) == ServerTrustManager.self, case .failure(let error) = table else { return nil }
        return error
    }

    /// The evaluator for a host in any spelling; `nil` leaves the host to the system.
    ///
    /// A session looks up the host's canonical spelling (`PresentedServerTrust.host`).
    ///
    /// - Throws: ``SessionError/ServerTrustFailureReason/noRequiredEvaluator(host:)``, or
    ///   ``SessionError/ServerTrustFailureReason/invalidEvaluator(setting:problem:)`` for a key that can match no host.
    open func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
        if let evaluator = HostPattern.value(for: host, in: try table.get()) { return evaluator }
        guard allHostsMustBeEvaluated else { return nil }
        throw SessionError.serverTrustEvaluationFailed(reason: .noRequiredEvaluator(host: host))
    }
}

/// Evaluates the certificates of a TLS handshake.
///
/// ### Implementation
/// Examine the certificates of the trust, run the platform's own checks with `refusal(of:)`, and throw to refuse. It
/// runs for every new connection, but not for requests on an accepted connection, on the transport's thread, before the
/// first request byte: do not block on the network.
@preconcurrency
public protocol ServerTrustEvaluating: Sendable {
    /// Returns if the server is trusted.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server presented.
    ///   - host: The host in its canonical spelling, as in `PresentedServerTrust.host`.
    /// - Throws: The reason for a refusal; an error that is not a ``SessionError`` ends the request as
    ///   ``SessionError/ServerTrustFailureReason/customEvaluationFailed(error:)``.
    func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws
}

/// The manager as a transport's policy.
struct ManagedTrustPolicy: PartialTrustPolicy {
    let manager: ServerTrustManager

    func leavesToSystem(_ host: String) -> Bool {
        do {
            return try manager.serverTrustEvaluator(forHost: host) == nil
        } catch {
            // A host that requires an evaluator, and has none, is refused.
            return false
        }
    }

    func evaluate(_ server: PresentedServerTrust) throws {
        guard let evaluator = try manager.serverTrustEvaluator(forHost: server.host) else {
            return try DefaultTrustEvaluator().evaluate(server, forHost: server.host)
        }
        try evaluator.evaluate(server, forHost: server.host)
    }
}
