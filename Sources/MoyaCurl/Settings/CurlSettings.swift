#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// The validated configuration of a transport in libcurl's form, the same for each handle.
final class CurlSettings: Sendable {
    let configuration: TransportConfiguration
    /// The versions in the configuration, which each access would copy.
    let httpVersions: TransportConfiguration.HTTPVersions
    let authorities: CertificateAuthorities
    let identity: CurlIdentity?
    /// The servers that receive the identity; `nil` for every server.
    let identityOrigins: Set<HTTPOrigin>?
    let proxy: CurlProxy
    let endpoints: EndpointSettings
    let keyLog: KeyLogFile?
    /// The reason that a setting cannot be honoured.
    let failure: TransportFailure?

    /// - Parameter library: The libcurl whose parts the settings need.
    init(_ configuration: TransportConfiguration, library: CurlLibrary = .loaded) {
        CurlLibrary.keepsTLSAtExit
        var authorities = CertificateAuthorities.system
        var identity: CurlIdentity?
        var identityOrigins: Set<HTTPOrigin>?
        var proxy = CurlProxy.environment
        var endpoints = EndpointSettings()
        var keyLog: KeyLogFile?
        var failure: TransportFailure?
        do throws(TransportFailure) {
            authorities = try CertificateAuthorities.read(configuration.certificateAuthorities)
            identity = try configuration.clientIdentity.map(CurlIdentity.init)
            identityOrigins = try configuration.readIdentityOrigins()
            proxy = try CurlProxy(configuration.proxy, library: library)
            endpoints = try EndpointSettings(configuration, proxy: proxy, library: library)
            try Self.checkVersions(configuration.httpVersions, proxy: proxy, library: library)
            keyLog = try configuration.tlsKeyLogFile.map { file throws(TransportFailure) in try KeyLogFile(at: file) }
        } catch let error {
            failure = error
        }
        self.configuration = configuration
        httpVersions = configuration.httpVersions
        self.authorities = authorities
        self.identity = identity
        self.identityOrigins = identityOrigins
        self.proxy = proxy
        self.endpoints = endpoints
        self.keyLog = keyLog
        self.failure = library.failure ?? failure
    }

    /// Sets the permanent options of a handle; returns the reason for a failure.
    func apply(to easy: UnsafeMutableRawPointer) -> TransportFailure? {
        removeAuthorities(on: easy)
        return setIdentity(on: easy) ?? setVersions(on: easy) ?? proxy.apply(to: easy) ?? endpoints.apply(to: easy)
    }

    /// Removes libcurl's default files of authorities: each connection gets ``authorities``, which libcurl cannot change.
    ///
    /// libcurl 8.21 and newer read the default file nevertheless.
    private func removeAuthorities(on easy: UnsafeMutableRawPointer) {
        for option in [CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH] {
            moya_easy_set_string(easy, option, nil)
        }
    }

    private func setIdentity(on easy: UnsafeMutableRawPointer) -> TransportFailure? {
        guard let identity, identityOrigins == nil else { return nil }
        return identity.set(on: easy) ? nil : .missing("clientIdentity")
    }

    /// Sets or removes the identity on a handle for the server of a URL, if servers were named; returns the reason for
    /// a failure.
    func offerIdentity(to url: String, on easy: UnsafeMutableRawPointer) -> TransportFailure? {
        guard let identity, let identityOrigins else { return nil }
        guard let origin = HTTPOrigin(requested: url), identityOrigins.contains(origin) else {
            CurlIdentity.remove(from: easy)
            return nil
        }
        return identity.set(on: easy) ? nil : .missing("clientIdentity")
    }

    private static func checkVersions(
        _ versions: TransportConfiguration.HTTPVersions, proxy: CurlProxy, library: CurlLibrary
    ) throws(TransportFailure) {
        guard versions == .http2PriorKnowledge else { return }
        if !library.has(CURL_VERSION_HTTP2) { throw .missing("httpVersions: .http2PriorKnowledge", from: library) }
        if proxy.speaksHTTP {
            throw TransportFailure(
                .unsupported,
                message: "httpVersions: .http2PriorKnowledge cannot be honoured through an HTTP proxy, which speaks "
                    + "HTTP/1.1 for the server. Use proxy: .none, or .http2WhereOffered.")
        }
    }

    private func setVersions(on easy: UnsafeMutableRawPointer) -> TransportFailure? {
        let oldest =
            switch configuration.minimumTLSVersion {
            case .tls12: CURL_SSLVERSION_TLSv1_2
            case .tls13: CURL_SSLVERSION_TLSv1_3
            }
        guard moya_easy_set_long(easy, CURLOPT_SSLVERSION, Int(oldest)) == CURLE_OK else {
            return .missing("minimumTLSVersion")
        }
        if proxy.mayBeUsed {
            // The newest version distinguishes a handshake with a proxy from one with a server (see CMoyaTrust.h).
            moya_easy_set_long(
                easy, CURLOPT_PROXY_SSLVERSION, Int(oldest) | Int(CURL_SSLVERSION_MAX_TLSv1_3))
        }
        return nil
    }
}
#endif
