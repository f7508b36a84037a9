import Moya
import MoyaSession

/// A server, an evaluator, and the expected outcome.
public struct TrustCase: Sendable, CustomStringConvertible {
    /// The server's name, from the list of make-trust-certificates.sh.
    public let server: String
    /// The version of TLS.
    public let tls: TrustServers.TLS
    /// The name of the evaluator in the matrix.
    public let evaluator: String
    /// The expected result: `accepted`, or the reason of the refusal.
    public let expected: String

    /// The host in the request's URL.
    public let host: String
    let manager: @Sendable (TrustServers) throws -> ServerTrustManager?

    /// Server, version and evaluator.
    public var description: String { "\(host), TLS \(tls.rawValue), \(evaluator)" }

    /// Makes a case from an evaluator for the requested host; without one, the platform decides.
    init(
        _ server: String, _ evaluator: String, _ expected: String, tls: TrustServers.TLS = .v13, at host: String? = nil,
        _ make: @escaping @Sendable (TrustServers) throws -> (any ServerTrustEvaluating)?
    ) {
        self.server = server
        self.tls = tls
        self.evaluator = evaluator
        self.expected = expected
        let host = host ?? "\(server).localhost"
        self.host = host
        manager = { servers in
            try make(servers).map { ServerTrustManager(evaluators: [host: $0]) }
        }
    }

    /// Makes a case for a host without an evaluator in the manager.
    init(
        unlisted server: String, _ evaluator: String, _ expected: String, allHostsMustBeEvaluated: Bool
    ) {
        self.server = server
        tls = .v13
        host = "\(server).localhost"
        self.evaluator = evaluator
        self.expected = expected
        manager = { _ in
            ServerTrustManager(
                allHostsMustBeEvaluated: allHostsMustBeEvaluated, evaluators: ["elsewhere.test": .disabled])
        }
    }

    /// The result for a server that is trusted.
    public static let accepted = "accepted"

    /// Every case.
    public static let all: [TrustCase] =
        badServers + weakServers + namelessServers + pins + revocations + sound + soundStrengthsAndNames
        + internationalHosts
}
