import MoyaTransport

/// A group of exchanges that may share connections, and therefore a `URLSession`.
///
/// `URLSession` also uses an HTTP/2 connection for another host that has the same address and a name on the connection's
/// certificate (RFC 9113 section 9.1.1). As it asks no challenge then, a pin of that host would not be checked, and
/// requests would carry a client certificate that is for other origins.
enum ConnectionScope: Hashable {
    /// Every origin without specific rules.
    case shared
    /// An origin whose host has trust rules or receives the client certificate.
    case origin(HTTPOrigin)
    /// Malformed hosts, which a trust policy evaluates without a name.
    case malformedHost

    /// Chooses the scope of a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - policy: The trust policy of the transport.
    ///   - identityOrigins: The origins that receive the client certificate; `nil` for all.
    init(of url: String, policy: (any TransportTrustPolicy)?, identityOrigins: Set<HTTPOrigin>?) {
        let origin = HTTPOrigin(requested: url)
        let host = origin?.host ?? ""
        let hasTrustRules = policy.map { ($0 as? any PartialTrustPolicy)?.leavesToSystem(host) != true } ?? false
        // Compares hosts, because URLSession may replace http by https.
        let hasIdentity = identityOrigins?.contains { $0.host == host } ?? false
        self = hasTrustRules || hasIdentity ? origin.map(Self.origin) ?? .malformedHost : .shared
    }
}
