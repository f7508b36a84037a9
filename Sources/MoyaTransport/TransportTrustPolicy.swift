/// Decides whether a server is trusted, for every new connection of a session.
public protocol TransportTrustPolicy: Sendable {
    /// Returns when the server may be talked to.
    ///
    /// Called on the transport's thread in every handshake, before any request byte is sent; must not block on the
    /// network. It is called a second time in a handshake where requested data (a stapled OCSP response under TLS 1.2)
    /// comes after the certificates: the last answer counts, and a refusal at once.
    ///
    /// - Throws: The reason for refusing. The exchange then ends with ``TransportFailure/TLSReason/refusedByPolicy``.
    func evaluate(_ server: PresentedServerTrust) throws
}
