import Foundation
import Moya
import MoyaSession

extension SessionOrder {
    /// Makes the session.
    func session() throws -> Session {
        let configuration = URLSessionConfiguration.af.ephemeral
        if cache != true { configuration.urlCache = nil }
        func duration(_ seconds: Double?) -> Duration? { seconds.map { .seconds($0) } }
        return Session(
            configuration: configuration,
            startRequestsImmediately: false,
            interceptor: retries.map {
                RetryPolicy(retryLimit: $0, exponentialBackoffBase: 2, exponentialBackoffScale: 0.001)
            },
            serverTrustManager: try evaluators.map {
                ServerTrustManager(
                    allHostsMustBeEvaluated: allHosts ?? true, evaluators: try $0.mapValues { try $0.evaluator() })
            },
            timeouts: Deadlines(connect: duration(connect), idle: duration(idle), total: duration(total)),
            credentialPolicy: CredentialPolicy(
                fields: Set(credentialFields ?? []), refusesBasicWithoutTLS: refusesBasic ?? false),
            transportConfiguration: try transportConfiguration())
    }

    private func transportConfiguration() throws -> TransportConfiguration {
        var settings = TransportConfiguration(maximumConnectionsPerHost: connections, proxy: .none)
        if let authorities { settings.certificateAuthorities = .file(URL(fileURLWithPath: authorities)) }
        if http1 == true { settings.httpVersions = .http1Only }
        if http2WithoutTLS == true { settings.httpVersions = .http2PriorKnowledge }
        if tls13 == true { settings.minimumTLSVersion = .tls13 }
        if let identity {
            settings.clientIdentity = try .pem(
                certificateChainFile: URL(fileURLWithPath: identity.chain),
                privateKeyFile: URL(fileURLWithPath: identity.key))
        }
        settings.clientIdentityOrigins = origins
        if let unixSocket { settings.unixSockets = [.init(path: unixSocket.path, origin: unixSocket.origin)] }
        if let proxy {
            let credentials = proxy.user.map {
                TransportConfiguration.Proxy.Credentials(user: $0, password: proxy.password ?? "")
            }
            settings.proxy = .custom(
                TransportConfiguration.Proxy(
                    TransportConfiguration.Proxy.Kind(rawValue: proxy.kind ?? "http") ?? .http,
                    host: proxy.host ?? "127.0.0.1", port: proxy.port, credentials: credentials,
                    exceptions: proxy.exceptions ?? []))
        }
        return settings
    }
}

extension SessionOrder.Evaluator {
    func evaluator() throws -> any ServerTrustEvaluating {
        let urls = (files ?? []).map { URL(fileURLWithPath: $0) }
        if kind == "pinned files" { return try PinnedCertificatesTrustEvaluator(files: urls) }
        if kind == "key files" { return try PublicKeysTrustEvaluator(files: urls) }
        let contents = try urls.map { try Data(contentsOf: $0) }
        switch kind {
        case "pinned":
            return .pinnedCertificates(
                certificates: contents, acceptSelfSignedCertificates: acceptsSelfSigned ?? false,
                performDefaultValidation: validates ?? true, validateHost: validatesHost ?? true)
        case "keys":
            return .publicKeys(
                keys: contents, performDefaultValidation: validates ?? true, validateHost: validatesHost ?? true)
        case "revocation":
            return .revocationChecking(
                performDefaultValidation: validates ?? true, validateHost: validatesHost ?? true,
                revocationLists: contents)
        case "composite": return .composite(evaluators: try (parts ?? []).map { try $0.evaluator() })
        case "disabled": return .disabled
        default: return .default(validateHost: validatesHost ?? true)
        }
    }
}
