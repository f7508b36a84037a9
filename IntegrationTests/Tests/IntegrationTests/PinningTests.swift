import Foundation
import Moya
import MoyaSession
import Synchronization
import Testing

/// The servers that a session with a trust policy accepts.
@Suite(.needsServers)
struct PinningTests {
    let servers: Servers
    let authority: Data
    let certificate: Data
    let foreign: Data

    init() throws {
        servers = try #require(Servers.running)
        let directory = servers.certificateAuthority.deletingLastPathComponent()
        authority = try Data(contentsOf: servers.certificateAuthority)
        certificate = try Data(contentsOf: directory.appendingPathComponent("server.pem"))
        foreign = try Data(contentsOf: directory.appendingPathComponent("wrong-name.pem"))
    }

    @Test func theServersOwnCertificateIsAccepted() async throws {
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: [certificate])
        #expect(try await status(evaluator, trustsAuthority: true) == 200)
    }

    @Test func theAuthorityThatTheServerDoesNotShowIsAccepted() async throws {
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: [authority])
        #expect(try await status(evaluator, trustsAuthority: true) == 200)
    }

    @Test func aPinnedCertificateCanBeTheOnlyAnchor() async throws {
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: [certificate], acceptSelfSignedCertificates: true)
        #expect(try await status(evaluator, trustsAuthority: false) == 200)
    }

    @Test func anUntrustedChainIsRefusedThoughItIsPinned() async throws {
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: [certificate])
        let reason = try await refusal(evaluator, trustsAuthority: false)
        guard case .trustEvaluationFailed = reason else { throw Unexpected(reason) }
    }

    @Test func aForeignPinIsRefusedAndSeesNoRequestByte() async throws {
        let mark = uniqueMark()
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: [foreign])
        let reason = try await refusal(evaluator, trustsAuthority: true, mark: mark)
        guard case .certificatePinningFailed("localhost", 1, _) = reason else { throw Unexpected(reason) }
        let later = uniqueMark()
        _ = try await MoyaProvider<Call>().request(.get(servers.nginx, "/static/small.json", query: ["m": later]))
        #expect(try await servers.accessLog.entries(marked: later, count: 1).count == 1)
        #expect(try await servers.accessLog.entries(marked: mark, count: 0).isEmpty)
    }

    @Test func anEmptyPinListRefusesEveryServer() async throws {
        let reason = try await refusal(PinnedCertificatesTrustEvaluator(certificates: []), trustsAuthority: true)
        guard case .noCertificatesFound = reason else { throw Unexpected(reason) }
    }

    @Test func anotherHostsCertificateIsRefusedThoughItIsPinned() async throws {
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: [foreign])
        let reason = try await refusal(evaluator, trustsAuthority: true, at: servers.nginxWrongName)
        guard case .trustEvaluationFailed = reason else { throw Unexpected(reason) }
    }

    @Test func withoutHostValidationAnotherHostsPinnedCertificateIsAccepted() async throws {
        let evaluator = PinnedCertificatesTrustEvaluator(certificates: [foreign], validateHost: false)
        #expect(try await status(evaluator, trustsAuthority: true, at: servers.nginxWrongName) == 200)
    }

    @Test func aDisabledEvaluatorAcceptsAnUnknownAuthority() async throws {
        #expect(try await status(DisabledTrustEvaluator(), trustsAuthority: false) == 200)
    }

    @Test func everyOneOfACompositeMustAccept() async throws {
        let evaluator = CompositeTrustEvaluator(evaluators: [
            DefaultTrustEvaluator(), PinnedCertificatesTrustEvaluator(certificates: [foreign]),
        ])
        let reason = try await refusal(evaluator, trustsAuthority: true)
        guard case .certificatePinningFailed = reason else { throw Unexpected(reason) }
    }

    @Test func aHostWithoutEvaluatorIsRefused() async throws {
        let manager = ServerTrustManager(evaluators: ["elsewhere.test": DisabledTrustEvaluator()])
        let reason = try await refusal(manager, trustsAuthority: true)
        guard case .noRequiredEvaluator("localhost") = reason else { throw Unexpected(reason) }
    }

    @Test func aHostWithoutARequiredEvaluatorIsEvaluatedByTheSystem() async throws {
        let manager = ServerTrustManager(
            allHostsMustBeEvaluated: false, evaluators: ["elsewhere.test": DisabledTrustEvaluator()])
        #expect(try await status(manager, trustsAuthority: true) == 200)
        let reason = try await refusal(manager, trustsAuthority: false)
        guard case .trustEvaluationFailed = reason else { throw Unexpected(reason) }
    }

    @Test func everyNewConnectionIsJudgedThoughTheServerOffersToSkipThat() async throws {
        let evaluator = CountingEvaluator()
        let session = Session(
            startRequestsImmediately: false,
            serverTrustManager: ServerTrustManager(evaluators: ["localhost": evaluator]),
            transportConfiguration: TransportConfiguration(
                certificateAuthorities: .file(servers.certificateAuthority), httpVersions: .http1Only))
        let provider = MoyaProvider<Call>(session: session)
        var call = Call.get(servers.nginxTLS, "/static/small.json")
        call.headers = ["Connection": "close"]
        for _ in 0..<3 { #expect(try await provider.request(call).statusCode == 200) }
        #expect(evaluator.count == 3)
    }

    /// Accepts a server until it is switched.
    private final class ChangingEvaluator: ServerTrustEvaluating {
        struct Refusal: Error {}
        let accepts = Mutex(true)

        func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws {
            if !accepts.withLock({ $0 }) { throw Refusal() }
        }
    }

    @Test(arguments: [\Servers.nginxTLS12, \Servers.nginxTLS13])
    func aChangedAnswerHoldsForEveryNewConnection(server: any KeyPath<Servers, URL> & Sendable) async throws {
        let evaluator = ChangingEvaluator()
        let session = Session(
            startRequestsImmediately: false,
            serverTrustManager: ServerTrustManager(evaluators: ["localhost": evaluator]),
            transportConfiguration: TransportConfiguration(
                certificateAuthorities: .file(servers.certificateAuthority), httpVersions: .http1Only))
        let provider = MoyaProvider<Call>(session: session)
        let kept = Call.get(servers[keyPath: server], "/static/small.json")
        var last = kept
        last.headers = ["Connection": "close"]
        #expect(try await provider.request(kept).statusCode == 200)
        evaluator.accepts.withLock { $0 = false }
        // The connection was accepted; requests on it are not evaluated again.
        #expect(try await provider.request(last).statusCode == 200)
        // The TLS session that the server offers is not taken up in place of its certificates.
        for _ in 0..<2 { await #expect(throws: MoyaError.self) { try await provider.request(kept) } }
        evaluator.accepts.withLock { $0 = true }
        #expect(try await provider.request(kept).statusCode == 200)
    }

    @Test(arguments: ["LOCALHOST", "localhost.", "*.localhost"])
    func aPinHoldsForEverySpellingOfItsHost(key: String) async throws {
        let port = try #require(servers.nginxTLS.port)
        let host = key == "*.localhost" ? "below.localhost" : "LocalHost"
        let server = try #require(URL(string: "https://\(host):\(port)"))
        let manager = ServerTrustManager(
            allHostsMustBeEvaluated: false,
            evaluators: [key: PinnedCertificatesTrustEvaluator(certificates: [foreign], validateHost: false)])
        let reason = try await refusal(manager, trustsAuthority: true, at: server)
        guard case .certificatePinningFailed = reason else { throw Unexpected(reason) }
    }

    // MARK: Calling under a policy

    /// Accepts every server, and counts its calls.
    private final class CountingEvaluator: ServerTrustEvaluating {
        private let asked = Mutex(0)

        var count: Int { asked.withLock { $0 } }

        func evaluate(_ trust: PresentedServerTrust, forHost host: String) throws { asked.withLock { $0 += 1 } }
    }

    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
        init(_ reason: Any) { description = "refused for another reason: \(reason)" }
    }

    private func status(
        _ evaluator: any ServerTrustEvaluating, trustsAuthority: Bool, at server: URL? = nil
    ) async throws -> Int {
        try await status(
            ServerTrustManager(evaluators: ["localhost": evaluator]), trustsAuthority: trustsAuthority, at: server)
    }

    private func status(
        _ manager: ServerTrustManager, trustsAuthority: Bool, at server: URL? = nil, mark: String = ""
    ) async throws -> Int {
        let authorities: TransportConfiguration.CertificateAuthorities =
            trustsAuthority ? .file(servers.certificateAuthority) : .system
        let session = Session(
            startRequestsImmediately: false, serverTrustManager: manager,
            transportConfiguration: TransportConfiguration(certificateAuthorities: authorities))
        let call = Call.get(server ?? servers.nginxTLS, "/static/small.json", query: ["m": mark])
        return try await MoyaProvider<Call>(session: session).request(call).statusCode
    }

    private func refusal(
        _ evaluator: any ServerTrustEvaluating, trustsAuthority: Bool, at server: URL? = nil, mark: String = ""
    ) async throws -> SessionError.ServerTrustFailureReason {
        try await refusal(
            ServerTrustManager(evaluators: ["localhost": evaluator]), trustsAuthority: trustsAuthority, at: server,
            mark: mark)
    }

    private func refusal(
        _ manager: ServerTrustManager, trustsAuthority: Bool, at server: URL? = nil, mark: String = ""
    ) async throws -> SessionError.ServerTrustFailureReason {
        let error = await #expect(throws: MoyaError.self) {
            _ = try await status(manager, trustsAuthority: trustsAuthority, at: server, mark: mark)
        }
        guard case .underlying(SessionError.serverTrustEvaluationFailed(let reason), nil)? = error else {
            throw Unexpected(error as Any)
        }
        return reason
    }
}
