public import Foundation

extension TransportConfiguration {
    /// Trusted root certificates.
    ///
    /// Over libcurl, a new connection reads the system's store or a file again if it has changed, and then resumes no
    /// TLS session from before. Connections that are open at that time stay in use.
    ///
    /// On Apple platforms, App Transport Security may require an exception for the domains of other authorities than the
    /// system's (`NSExceptionAllowsInsecureHTTPLoads`).
    public enum CertificateAuthorities: Sendable, Hashable {
        /// The system's store.
        case system
        /// Only the certificates in a PEM file.
        case file(URL)
        /// Only these certificates: each value contains one certificate in DER form, or any number in PEM form (RFC
        /// 7468).
        case certificates([Data])
    }

    /// A version of TLS.
    public enum TLSVersion: Sendable, Hashable, Comparable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// The allowed HTTP versions.
    public enum HTTPVersions: Sendable, Hashable {
        /// HTTP/1.1 only.
        case http1Only
        /// HTTP/2 over TLS if the server offers it (ALPN), else HTTP/1.1.
        case http2WhereOffered
        /// Like ``http2WhereOffered`` over TLS, and only HTTP/2 without TLS (RFC 9113 section 3.3): for servers that
        /// are known to support it; not together with an HTTP proxy.
        case http2PriorKnowledge
    }
}
