import Foundation
import Moya
import MoyaSession
import Testing

/// A server that wants to know who calls.
@Suite(.needsServers)
struct ClientIdentityTests {
    typealias Identity = TransportConfiguration.ClientIdentity

    let servers: Servers
    let directory: URL

    init() throws {
        servers = try #require(Servers.running)
        directory = servers.trustCertificates.appendingPathComponent("clients")
    }

    private func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

    private func session(_ identity: Identity?, evaluator: (any ServerTrustEvaluating)? = nil) -> Session {
        Session(
            startRequestsImmediately: false,
            serverTrustManager: evaluator.map { ServerTrustManager(evaluators: ["localhost": $0]) },
            transportConfiguration: TransportConfiguration(
                certificateAuthorities: .file(servers.certificateAuthority), clientIdentity: identity))
    }

    private func who(_ identity: Identity?, evaluator: (any ServerTrustEvaluating)? = nil) async throws -> Response {
        let provider = MoyaProvider<Call>(session: session(identity, evaluator: evaluator))
        return try await provider.request(.get(servers.nginxForClients, "/whoami"))
    }

    private func failure(_ identity: Identity) async throws -> TransportFailure {
        let error = await #expect(throws: MoyaError.self) { try await who(identity) }
        guard case .underlying(let cause, _)? = error else {
            throw TransportFailure(.other, message: "\(error as Any)")
        }
        return try #require((cause as? SessionError)?.transportFailure)
    }

    // MARK: Known

    @Test func aCertificateAndKeyInPEMFormAreShown() async throws {
        let identity = try Identity.pem(certificateChainFile: url("client.pem"), privateKeyFile: url("client.key"))
        #expect(try await who(identity).mapString() == "SUCCESS CN=client")
    }

    @Test func aKeyThatIsEncryptedIsOpened() async throws {
        let identity = try Identity.pem(
            certificateChainFile: url("client.pem"), privateKeyFile: url("client-encrypted.key"), password: "secret")
        #expect(try await who(identity).mapString() == "SUCCESS CN=client")
    }

    @Test func anRSAKeyIsAcceptedToo() async throws {
        let identity = try Identity.pem(
            certificateChainFile: url("client-rsa.pem"), privateKeyFile: url("client-rsa.key"))
        #expect(try await who(identity).mapString() == "SUCCESS CN=client-rsa")
    }

    @Test(arguments: ["client", "client-rsa"])
    func anArchiveIsOpened(name: String) async throws {
        let identity = try Identity.pkcs12(file: url("\(name).p12"), password: "secret")
        #expect(try await who(identity).mapString() == "SUCCESS CN=\(name)")
    }

    /// A MAC is optional (RFC 7292 section 4).
    @Test func anArchiveWithoutAMACIsOpened() async throws {
        let identity = try Identity.pkcs12(file: url("client-no-mac.p12"), password: "secret")
        #expect(try await who(identity).mapString() == "SUCCESS CN=client")
    }

    @Test func anIdentityWorksWithAPolicy() async throws {
        let identity = try Identity.pkcs12(file: url("client.p12"), password: "secret")
        #expect(try await who(identity, evaluator: .default).mapString() == "SUCCESS CN=client")
    }

    // MARK: Named servers

    /// A provider whose identity is only for these servers, and that trusts nginx under both its names.
    private func provider(
        offeringTo origins: [String], evaluator: (any ServerTrustEvaluating)? = nil
    ) throws -> MoyaProvider<Call> {
        let identity = try Identity.pkcs12(file: url("client.p12"), password: "secret")
        return MoyaProvider<Call>(
            session: Session(
                startRequestsImmediately: false,
                serverTrustManager: evaluator.map {
                    ServerTrustManager(evaluators: ["localhost": $0, "127.0.0.1": $0])
                },
                transportConfiguration: TransportConfiguration(
                    certificateAuthorities: .file(servers.certificateAuthority), clientIdentity: identity,
                    clientIdentityOrigins: origins)))
    }

    /// The same server by its address: another origin.
    private func byAddress() throws -> URL {
        var parts = try #require(URLComponents(url: servers.nginxForClients, resolvingAgainstBaseURL: false))
        parts.host = "127.0.0.1"
        return try #require(parts.url)
    }

    @Test(arguments: [false, true])
    func offersAnIdentityToNamedServersAlone(hasPolicy: Bool) async throws {
        let port = try #require(servers.nginxForClients.port)
        let provider = try provider(
            offeringTo: ["https://else.test", "https://LOCALHOST.:\(port)/"], evaluator: hasPolicy ? .default : nil)
        // Sequentially, so that handles are reused.
        for _ in 0..<3 {
            let named = try await provider.request(.get(servers.nginxForClients, "/whoami"))
            #expect(try named.mapString() == "SUCCESS CN=client")
            #expect(try await provider.request(.get(byAddress(), "/whoami")).statusCode == 400)
            #expect(try await provider.request(.get(servers.nginx, "/static/small.json")).statusCode == 200)
        }
    }

    @Test(arguments: ["https://localhost", "https://localhost:1", "https://else.test"])
    func offersNoIdentityToAnotherPortOrHost(origin: String) async throws {
        let provider = try provider(offeringTo: [origin])
        #expect(try await provider.request(.get(servers.nginxForClients, "/whoami")).statusCode == 400)
    }

    @Test func offersNoIdentityWhereARedirectLeads() async throws {
        let port = try #require(servers.nginxForClients.port)
        let one = try provider(offeringTo: ["https://localhost:\(port)"])
        #expect(try await one.request(.get(servers.nginxForClients, "/away")).statusCode == 400)
        let both = try provider(offeringTo: ["https://localhost:\(port)", "https://127.0.0.1:\(port)"])
        #expect(try await both.request(.get(servers.nginxForClients, "/away")).mapString() == "SUCCESS CN=client")
    }

    @Test func namesATextThatIsNotAnOrigin() async throws {
        let provider = try provider(offeringTo: ["localhost"])
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(.get(servers.nginxForClients, "/whoami"))
        }
        #expect(error?.localizedDescription.contains("clientIdentityOrigins: \"localhost\"") == true)
    }

    // MARK: Unknown

    @Test func aClientWithoutCertificateIsRefused() async throws {
        #expect(try await who(nil).statusCode == 400)
    }

    @Test func aClientOfAnotherAuthorityIsRefused() async throws {
        let identity = try Identity.pem(
            certificateChainFile: url("foreign-client.pem"), privateKeyFile: url("foreign-client.key"))
        #expect(try await who(identity).statusCode == 400)
    }

    @Test func theIdentityOfOneSessionIsNotAnothers() async throws {
        let identity = try Identity.pkcs12(file: url("client.p12"), password: "secret")
        #expect(try await who(identity).statusCode == 200)
        #expect(try await who(nil).statusCode == 400)
    }

    // MARK: Unusable

    @Test(arguments: ["client", "client-no-mac"], ["wrong", ""])
    func aWrongPasswordForAnArchiveIsReported(name: String, password: String) async throws {
        let failure = try await failure(.pkcs12(file: url("\(name).p12"), password: password))
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message == "clientIdentity: the password does not open the PKCS#12 archive.")
    }

    @Test func aTruncatedArchiveIsReported() async throws {
        let archive = try Data(contentsOf: url("client.p12"))
        let failure = try await failure(.pkcs12(archive.dropLast(100), password: "secret"))
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message.contains("malformed"))
    }

    @Test func anArchiveOfAnOldCipherIsReported() async throws {
        guard let archive = try? Data(contentsOf: url("client-old.p12")) else {
            return print("not tested: the openssl command makes no archive with an old cipher")
        }
        let failure = try await failure(.pkcs12(archive, password: "secret"))
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message.contains("algorithm"))
    }

    @Test(arguments: [nil, "wrong"])
    func aKeyThatCannotBeDecryptedIsReported(password: String?) async throws {
        let failure = try await failure(
            .pem(
                certificateChainFile: url("client.pem"), privateKeyFile: url("client-encrypted.key"), password: password
            ))
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message.contains(password == nil ? "is encrypted" : "does not open"))
    }

    @Test func anotherCertificatesKeyIsReported() async throws {
        let failure = try await failure(
            .pem(certificateChainFile: url("client.pem"), privateKeyFile: url("foreign-client.key")))
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message.contains("is not the one of the first certificate"))
    }
}
