import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The configuration of a transport, checked once.
struct URLSessionSettings: Sendable {
    /// So many seconds that no bound of `URLSession`'s own is ever reached: the wire watches time itself.
    static let noTimeout: TimeInterval = 10_000_000

    let configuration: TransportConfiguration
    /// Why a setting cannot be honoured.
    let failure: TransportFailure?
    #if canImport(Darwin)
    let trust: ServerTrustSettings
    let identity: ClientIdentityCredential?
    #endif

    init(_ configuration: TransportConfiguration) {
        self.configuration = configuration
        #if canImport(Darwin)
        var trust = ServerTrustSettings(policy: configuration.trustPolicy)
        var identity: ClientIdentityCredential?
        var failure: TransportFailure?
        do throws(TransportFailure) {
            trust.anchors = try ServerTrustSettings.anchors(configuration.certificateAuthorities)
            identity = try configuration.clientIdentity.map(ClientIdentityCredential.init)
            try Self.check(configuration)
        } catch {
            failure = error
        }
        self.trust = trust
        self.identity = identity
        self.failure = failure
        #else
        do throws(TransportFailure) {
            try Self.check(configuration)
            failure = nil
        } catch {
            failure = error
        }
        #endif
    }

    /// A session's configuration with nothing on that decides in the caller's place.
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
        session.tlsMinimumSupportedProtocolVersion =
            switch configuration.minimumTLSVersion {
            case .tls12: .TLSv12
            case .tls13: .TLSv13
            }
        session.connectionProxyDictionary = Self.proxies(configuration.proxy)
        #endif
        return session
    }
}
