import Foundation

/// The origin (RFC 6454 section 4) of an `https` URL.
package struct HTTPSOrigin: Hashable, Sendable {
    /// The host in its canonical spelling.
    package let host: String
    /// The port.
    package let port: Int

    /// Makes an origin; `nil` if the host is malformed.
    package init?(host: String, port: Int) {
        guard let host = CanonicalHost.of(host), (1...65_535).contains(port) else { return nil }
        self.host = host
        self.port = port
    }

    /// Parses an origin: `https://`, a host, and a port unless it is 443; `nil` for any other text.
    package init?(_ text: String) {
        guard let origin = HTTPOrigin(text), origin.isOverTLS else { return nil }
        self.init(host: origin.host, port: origin.port)
    }
}

extension TransportConfiguration {
    /// Parses ``clientIdentityOrigins``; `nil` for every server.
    ///
    /// - Throws: ``TransportFailure`` of the kind ``TransportFailure/TLSReason/clientCertificate``, with the text that
    ///   is not an origin.
    package func readIdentityOrigins() throws(TransportFailure) -> Set<HTTPSOrigin>? {
        guard let clientIdentityOrigins else { return nil }
        var origins: Set<HTTPSOrigin> = []
        for text in clientIdentityOrigins {
            guard let origin = HTTPSOrigin(text) else {
                let shown = SecretMask.standard.url(text).debugDescription
                throw Self.unusable(
                    "\(shown) is no origin of a server that speaks TLS. Give https:// and a host, and a port where it "
                        + "is not 443.")
            }
            origins.insert(origin)
        }
        guard !origins.isEmpty else {
            throw Self.unusable("the list is empty, so that no server would see the certificate. Name one, or use nil.")
        }
        return origins
    }

    private static func unusable(_ message: String) -> TransportFailure {
        TransportFailure(.tls(.clientCertificate), message: "clientIdentityOrigins: \(message)")
    }
}
