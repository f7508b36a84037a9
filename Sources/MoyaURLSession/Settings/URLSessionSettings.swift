import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import Security
#endif

/// The validated configuration of a transport.
struct URLSessionSettings: Sendable {
    /// A number of seconds that disables `URLSession`'s own limits: the transport enforces time limits itself.
    static let noTimeout: TimeInterval = 10_000_000
    #if canImport(Darwin)
    static let authenticationSchemes: Set<TransportAuthentication.Scheme> = [.digest]
    #else
    static let authenticationSchemes: Set<TransportAuthentication.Scheme> = []
    #endif

    let configuration: TransportConfiguration
    /// The reason that a setting cannot be honoured.
    let failure: TransportFailure?
    private let identityOrigins: Set<HTTPOrigin>?
    #if canImport(Darwin)
    /// The configuration of the session, whose network settings apply.
    var network: URLSessionConfiguration?
    let trust: ServerTrustSettings
    private let identity: ClientIdentityCredential?
    #endif

    init(_ configuration: TransportConfiguration) {
        self.configuration = configuration
        var identityOrigins: Set<HTTPOrigin>?
        var failure: TransportFailure?
        #if canImport(Darwin)
        var trust = ServerTrustSettings(policy: configuration.trustPolicy)
        var identity: ClientIdentityCredential?
        #endif
        do throws(TransportFailure) {
            #if canImport(Darwin)
            trust.anchors = try ServerTrustSettings.anchors(configuration.certificateAuthorities)
            identity = try configuration.clientIdentity.map(ClientIdentityCredential.init)
            identityOrigins = try configuration.readIdentityOrigins()
            try Self.checkOnApple(configuration)
            #else
            try Self.check(configuration)
            identityOrigins = try configuration.readIdentityOrigins()
            #endif
        } catch {
            failure = error
        }
        #if canImport(Darwin)
        self.trust = trust
        self.identity = identity
        #endif
        self.identityOrigins = identityOrigins
        self.failure = failure
    }

    /// The scope of the connections that serve a URL.
    func connectionScope(of url: String) -> ConnectionScope {
        ConnectionScope(of: url, policy: configuration.trustPolicy, identityOrigins: identityOrigins)
    }

    /// The first socket setting that differs from the default, with the reason that it cannot be honoured.
    static func socketSetting(of configuration: TransportConfiguration) -> (name: String, reason: String)? {
        if !configuration.unixSockets.isEmpty { return ("unixSockets", "reaches servers over the network alone") }
        if !configuration.resolveOverrides.isEmpty { return ("resolveOverrides", "resolves names by the system alone") }
        if configuration.localEndpoint != nil { return ("localEndpoint", "leaves the local address to the system") }
        if !configuration.dnsServers.isEmpty { return ("dnsServers", "asks the system's DNS servers alone") }
        if configuration.happyEyeballsDelay != nil { return ("happyEyeballsDelay", "uses the system's delay") }
        if configuration.tlsKeyLogFile != nil { return ("tlsKeyLogFile", "shows the keys of no connection") }
        return nil
    }

    #if canImport(Darwin)
    /// The client certificate for a server that requests one; `nil` if the server must not receive it.
    func identity(forHost host: String, port: Int) -> ClientIdentityCredential? {
        guard let identityOrigins else { return identity }
        let origin = HTTPOrigin(isOverTLS: true, host: host, port: port)
        return origin.map { identityOrigins.contains($0) } == true ? identity : nil
    }
    #endif

    /// A session configuration in which `URLSession` makes no decisions for the caller.
    func sessionConfiguration() -> URLSessionConfiguration {
        let session = URLSessionConfiguration.ephemeral
        session.requestCachePolicy = .reloadIgnoringLocalCacheData
        session.urlCache = nil
        session.httpCookieStorage = nil
        session.httpCookieAcceptPolicy = .never
        session.httpShouldSetCookies = false
        session.urlCredentialStorage = nil
        session.timeoutIntervalForRequest = Self.noTimeout
        session.timeoutIntervalForResource = Self.noTimeout
        session.httpMaximumConnectionsPerHost = max(1, configuration.maximumConnectionsPerHost ?? 6)
        #if canImport(Darwin)
        if let network { session.takeNetworkSettings(of: network) }
        session.tlsMinimumSupportedProtocolVersion =
            switch configuration.minimumTLSVersion {
            case .tls12: network?.tlsMinimumSupportedProtocolVersion == .TLSv13 ? .TLSv13 : .TLSv12
            case .tls13: .TLSv13
            }
        session.connectionProxyDictionary = Self.proxies(configuration.proxy)
        #endif
        return session
    }
}
