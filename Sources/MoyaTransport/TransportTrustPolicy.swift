/// Decides whether a server is trusted, for every new connection of a session.
public protocol TransportTrustPolicy: Sendable {
    /// Returns if the server is trusted.
    ///
    /// Called on the transport's thread in every handshake, before any request byte is sent; must not block on the
    /// network. It is called again in a handshake if requested data (a stapled OCSP response under TLS 1.2) arrives
    /// after the certificates: then the last result counts, but a refusal takes effect at once.
    ///
    /// - Throws: The reason for a refusal. The exchange then ends with ``TransportFailure/TLSReason/refusedByPolicy``.
    func evaluate(_ server: PresentedServerTrust) throws
}

/// A policy that has nothing to say about some hosts.
package protocol PartialTrustPolicy: TransportTrustPolicy {
    /// Returns `true` if the platform's own evaluation decides about a host.
    func leavesToSystem(_ host: String) -> Bool
}
