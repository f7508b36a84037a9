public import Foundation

/// The settings that hold for every exchange of one session.
public struct TransportConfiguration: Sendable {
    /// How many connections may be open to one host at once, at least 1; `nil` for what the session's configuration
    /// says, or six.
    public var maximumConnectionsPerHost: Int?
    /// Whose certificates vouch for servers.
    public var certificateAuthorities: CertificateAuthorities
    /// Decides, after the handshake and before the first request byte, whether to talk to a server; `nil` leaves it to
    /// the platform.
    public var trustPolicy: (any TransportTrustPolicy)?
    /// Which HTTP versions may be used.
    public var httpVersions: HTTPVersions

    /// Makes settings: the system's certificate authorities, and HTTP/2 where the server has it.
    public init(
        maximumConnectionsPerHost: Int? = nil,
        certificateAuthorities: CertificateAuthorities = .system,
        trustPolicy: (any TransportTrustPolicy)? = nil,
        httpVersions: HTTPVersions = .http2WhereOffered
    ) {
        self.maximumConnectionsPerHost = maximumConnectionsPerHost
        self.certificateAuthorities = certificateAuthorities
        self.trustPolicy = trustPolicy
        self.httpVersions = httpVersions
    }

    /// Whose certificates vouch for servers.
    public enum CertificateAuthorities: Sendable, Hashable {
        /// The system's store.
        case system
        /// Only those in a PEM file.
        case file(URL)
    }

    /// Which HTTP versions may be used.
    public enum HTTPVersions: Sendable, Hashable {
        /// HTTP/1.1 only.
        case http1Only
        /// HTTP/2 over TLS when the server offers it (ALPN), else HTTP/1.1.
        case http2WhereOffered
    }
}

/// Decides whether a server is trusted, for every new connection of a session.
public protocol TransportTrustPolicy: Sendable {
    /// Returns when the server may be talked to.
    ///
    /// Called on the transport's thread once a handshake, before any request byte is sent; must not block on the network.
    ///
    /// - Throws: Why not. The exchange then ends with ``TransportFailure/TLSReason/refusedByPolicy``.
    func evaluate(_ server: PresentedServerTrust) throws
}

/// What a server showed in the TLS handshake, and what the platform makes of it.
public struct PresentedServerTrust: Sendable {
    /// The host name that the request is for.
    public let host: String
    /// The certificates in DER form, the server's own first.
    public let certificates: [Data]
    private let validation: @Sendable (PlatformValidation) -> String?

    /// Makes a value from what a wire has at hand.
    ///
    /// - Parameter validation: Runs the platform's check and returns why it failed, or `nil` when it passed.
    public init(
        host: String, certificates: [Data], validation: @escaping @Sendable (PlatformValidation) -> String?
    ) {
        self.host = host
        self.certificates = certificates
        self.validation = validation
    }

    /// Runs the platform's validation of the chain; returns why it failed, or `nil` when it passed.
    ///
    /// Valid only inside ``TransportTrustPolicy/evaluate(_:)``.
    public func failure(of check: PlatformValidation) -> String? { validation(check) }
}

/// A check that the platform's TLS library runs on a certificate chain.
public struct PlatformValidation: Sendable, Hashable {
    /// Whether the certificate's names must match the host (RFC 6125).
    public var matchesHost: Bool
    /// Whether the chain must lead to an anchor, be in its validity period, and be fit for a server.
    public var validatesChain: Bool
    /// Certificates in DER form that alone count as anchors; `nil` for the session's certificate authorities.
    public var anchors: [Data]?

    /// Makes a check of both the chain and the host against the session's certificate authorities.
    public init(matchesHost: Bool = true, validatesChain: Bool = true, anchors: [Data]? = nil) {
        self.matchesHost = matchesHost
        self.validatesChain = validatesChain
        self.anchors = anchors
    }
}
