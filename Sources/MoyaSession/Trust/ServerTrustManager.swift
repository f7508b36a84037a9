/// Says by which evaluator each host's certificates are judged.
open class ServerTrustManager: @unchecked Sendable {
    // `@unchecked`: constants only; a subclass answers for what it adds.

    /// `true` if a host with no evaluator is refused, rather than left to the system.
    public let allHostsMustBeEvaluated: Bool
    /// The evaluator of each host, by the keys that were given.
    public let evaluators: [String: any ServerTrustEvaluating]
    private let table: Result<[HostPattern: any ServerTrustEvaluating], SessionError>

    /// Makes a manager.
    ///
    /// A key is a host in any spelling: a name in upper or lower case, with or without the root's dot, in its own script or
    /// in ASCII (`bücher.example`, `xn--bcher-kva.example`); an IPv4 address; an IPv6 address with or without brackets. Or it
    /// is `*.` and a name, for every host with one label more, as in certificates (RFC 9525 section 6.3); a host's own key
    /// wins over that.
    ///
    /// A key that is none of these (a URL, a host with a port, another wildcard) would match no host, a wildcard on a public
    /// suffix (`*.com`, `*.co.uk`) would match strangers' hosts, and of two keys for one host one would be passed over:
    /// with such keys every request of a session ends with
    /// ``SessionError/ServerTrustFailureReason/invalidEvaluator(setting:problem:)``, which names the key. In a subclass, which
    /// may read keys of another form, ``serverTrustEvaluator(forHost:)`` alone throws that.
    ///
    /// - Parameters:
    ///   - allHostsMustBeEvaluated: `true` if a host with no evaluator is refused, rather than left to the system.
    ///   - evaluators: The evaluator of each host.
    public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.evaluators = evaluators
        table = Result { () throws(SessionError) in try HostPattern.table(of: evaluators) }
    }

    /// The reason that no request may be sent under the manager; `nil` where the keys are valid, or a subclass may read
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
    ///   ``SessionError/ServerTrustFailureReason/invalidEvaluator(setting:problem:)`` for a key that could match no host.
    open func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
        if let evaluator = HostPattern.value(for: host, in: try table.get()) { return evaluator }
        guard allHostsMustBeEvaluated else { return nil }
        throw SessionError.serverTrustEvaluationFailed(reason: .noRequiredEvaluator(host: host))
    }
}

/// Judges what a server showed in its TLS handshake.
///
/// ### Implementation
/// Look at the certificates of the trust, run the platform's own checks with `refusal(of:)`, and throw to refuse. It
/// runs for every new connection, but not for requests that go over one that was accepted before, on the transport's
/// thread, before the first request byte: do not block on the network.
@preconcurrency
public protocol ServerTrustEvaluating: Sendable {
    /// Returns when the server may be talked to.
    ///
    /// - Parameters:
    ///   - trust: The certificates that the server presented.
    ///   - host: The host in its canonical spelling, as `PresentedServerTrust.host` has it.
    /// - Throws: The reason for refusing; an error that is no ``SessionError`` ends the request as
    ///   ``SessionError/ServerTrustFailureReason/customEvaluationFailed(error:)``.
    func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws
}

/// The manager as a transport calls it.
struct ManagedTrustPolicy: TransportTrustPolicy {
    let manager: ServerTrustManager

    func evaluate(_ server: PresentedServerTrust) throws {
        guard let evaluator = try manager.serverTrustEvaluator(forHost: server.host) else {
            return try DefaultTrustEvaluator().evaluate(server, forHost: server.host)
        }
        try evaluator.evaluate(server, forHost: server.host)
    }
}
