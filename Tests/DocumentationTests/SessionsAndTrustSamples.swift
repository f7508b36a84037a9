import Foundation
import Moya
// snippet: session
import MoyaSession
// end
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of the article SessionsAndTrust.
@Suite struct SessionsAndTrustSamples {
    @Test func aSessionHasSettings() {
        // snippet: session
        let configuration = URLSessionConfiguration.af.default
        configuration.httpAdditionalHeaders?["X-Client"] = "shop-app"
        let session = Session(
            configuration: configuration,
            startRequestsImmediately: false,
            interceptor: RetryPolicy(),
            timeouts: Deadlines(idle: .seconds(20), total: .seconds(60)),
            transportConfiguration: TransportConfiguration(minimumTLSVersion: .tls13))
        let provider = MoyaProvider<Shop>(session: session)
        // end
        #expect(provider.session.unsupportedSettings.isEmpty)
    }

    private func cache(folder: URL) {
        // snippet: cache
        let cache = HTTPCache.disk(at: folder, staleIfError: .days(7))
        let session = Session(startRequestsImmediately: false, cache: cache)
        let provider = MoyaProvider<Shop>(session: session)
        // end
        print(provider)
    }

    private func pins(certificate: Data, key: Data) {
        // snippet: pins
        let trust = ServerTrustManager(
            allHostsMustBeEvaluated: false,
            evaluators: [
                "api.example.com": PinnedCertificatesTrustEvaluator(certificates: [certificate]),
                "login.example.com": PublicKeysTrustEvaluator(keys: [key]),
            ])
        let session = Session(startRequestsImmediately: false, serverTrustManager: trust)
        // end
        print(session)
    }

    private func bundle() {
        // snippet: bundle
        let trust = ServerTrustManager(evaluators: ["api.example.com": PinnedCertificatesTrustEvaluator()])
        // end
        print(trust)
    }

    private func composite(key: Data, revocationList: Data) {
        // snippet: composite
        let evaluator = CompositeTrustEvaluator(evaluators: [
            PublicKeysTrustEvaluator(keys: [key]),
            RevocationTrustEvaluator(revocationLists: [revocationList]),
        ])
        // end
        print(evaluator)
    }

    // snippet: own evaluator
    struct FewCertificates: ServerTrustEvaluating {
        struct ChainTooLong: Error {}

        func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
            if let refusal = trust.refusal(of: PlatformValidation()) { throw refusal }
            guard trust.certificates.count <= 3 else { throw ChainTooLong() }
        }
    }
    // end

    private func authority(root: URL) {
        // snippet: authority
        let session = Session(
            startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(certificateAuthorities: .file(root)))
        // end
        print(session)
    }

    private func identity(archive: URL, password: String) throws {
        // snippet: identity
        let identity = try TransportConfiguration.ClientIdentity.pkcs12(file: archive, password: password)
        let session = Session(
            startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(clientIdentity: identity))
        // end
        print(session)
    }

    private func proxy() {
        // snippet: proxy
        let proxy = TransportConfiguration.Proxy(
            .http, host: "proxy.example.com", port: 3128,
            credentials: .init(user: "user", password: "secret"), exceptions: ["internal.example.com"])
        let session = Session(
            startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(proxy: .custom(proxy)))
        // end
        print(session)
    }

    private func unixSocket() {
        // snippet: unix socket
        let session = Session(
            startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(
                unixSockets: [.init(path: "/run/docker.sock", origin: "http://localhost")]))
        // end
        print(session)
    }

    private func addresses() {
        // snippet: addresses
        let session = Session(
            startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(
                httpVersions: .http2PriorKnowledge,
                proxy: .none,
                resolveOverrides: [
                    .init(host: "api.example.com", port: 443, addresses: ["10.0.0.7", "10.0.0.8"], connectPort: 8443)
                ],
                localEndpoint: .address("10.0.0.2"),
                happyEyeballsDelay: .milliseconds(50)))
        // end
        print(session)
    }

    private func refused(_ provider: MoyaProvider<Shop>) async {
        // snippet: refused
        do {
            _ = try await provider.request(.items)
        } catch {
            guard case .underlying(let sessionError as SessionError, _) = error else { return }
            print(sessionError.isServerTrustEvaluationError, sessionError)
        }
        // end
    }

    private func alone() {
        // snippet: alone
        let session = Session()
        session.request("https://api.example.com/items").validate().response { response in
            print(response.response?.statusCode ?? 0, response.data?.count ?? 0)
        }
        // end
    }

    private func streamed(_ session: Session) async throws {
        // snippet: streamed
        let stream = try await session.request("https://api.example.com/export").validate().stream()
        print(stream.statusCode)
        for try await chunk in stream { print(chunk.count) }
        // end
    }
}
