import Foundation
import Moya
import MoyaSession
import Testing

/// Calls that reach nginx otherwise than by its name.
@Suite(.needsServers)
struct SocketTests {
    let servers: Servers
    private let pin: PinnedCertificatesTrustEvaluator

    init() throws {
        servers = try #require(Servers.running)
        let directory = servers.certificateAuthority.deletingLastPathComponent()
        pin = PinnedCertificatesTrustEvaluator(
            certificates: [try Data(contentsOf: directory.appendingPathComponent("server.pem"))])
    }

    private func provider(_ change: (inout TransportConfiguration) -> Void) -> MoyaProvider<Call> {
        var configuration = TransportConfiguration(
            certificateAuthorities: .file(servers.certificateAuthority), proxy: .none)
        change(&configuration)
        let trust = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: ["localhost": pin])
        return MoyaProvider(
            session: Session(
                startRequestsImmediately: false, serverTrustManager: trust, transportConfiguration: configuration))
    }

    private func get(_ server: URL, mark: String = "") -> Call {
        .get(server, "/static/small.json", query: ["m": mark])
    }

    /// The reason that the platform refused a server's certificate.
    private func reason(_ error: MoyaError?) throws -> TrustRefusal.Reason? {
        guard case .underlying(let underlying, _) = try #require(error) else { return nil }
        let failure = try #require((underlying as? SessionError)?.transportFailure, "\(underlying)")
        return failure.trustRefusal?.reason
    }

    // MARK: Unix domain sockets

    @Test func aPinHoldsThroughASocket() async throws {
        let mark = uniqueMark()
        let provider = provider {
            $0.unixSockets = [.init(path: servers.nginxTLSSocket.path, origin: "https://localhost")]
        }
        let response = try await provider.request(get(try #require(URL(string: "https://localhost")), mark: mark))
        #expect(response.data.count == 196)
        #expect(try await servers.accessLog.entries(marked: mark, count: 1).map(\.httpVersion) == ["HTTP/2.0"])
    }

    /// On a shared connection, whose ends are unknown, libcurl may mix up the responses of requests with and without
    /// streams.
    @Test func eachRequestThroughASocketHasItsOwnConnection() async throws {
        let mark = uniqueMark()
        let provider = provider {
            $0.unixSockets = [.init(path: servers.nginxTLSSocket.path, origin: "https://localhost")]
        }
        let call = get(try #require(URL(string: "https://localhost")), mark: mark)
        for _ in 0..<2 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await provider.request(call) } }
                try await group.waitForAll()
            }
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 16)
        #expect(Set(entries.map(\.connection)).count == 16)
    }

    @Test func aSocketWithAnotherCertificateIsRefused() async throws {
        let provider = provider {
            $0.unixSockets = [.init(path: servers.nginxTLSSocket.path, origin: "https://else.test")]
        }
        let error = await #expect(throws: MoyaError.self) {
            _ = try await provider.request(get(try #require(URL(string: "https://else.test"))))
        }
        #expect(try reason(error) == .wrongHost)
    }

    // MARK: Overrides

    @Test func aPinHoldsAtAnotherPort() async throws {
        let mark = uniqueMark()
        let provider = provider {
            $0.resolveOverrides = [
                .init(host: "localhost", port: 443, addresses: ["127.0.0.1"], connectPort: servers.nginxTLS.port)
            ]
        }
        let response = try await provider.request(get(try #require(URL(string: "https://localhost")), mark: mark))
        #expect(response.statusCode == 200)
        #expect(try await servers.accessLog.entries(marked: mark, count: 1).count == 1)
    }

    @Test func aNameWithAnOverrideHasToBeOnTheCertificate() async throws {
        let provider = provider {
            $0.resolveOverrides = [
                .init(host: "else.test", port: 443, addresses: ["127.0.0.1"], connectPort: servers.nginxTLS.port)
            ]
        }
        let error = await #expect(throws: MoyaError.self) {
            _ = try await provider.request(get(try #require(URL(string: "https://else.test"))))
        }
        #expect(try reason(error) == .wrongHost)
    }

    @Test func aChosenAddressIsCalledFrom() async throws {
        let provider = provider { $0.localEndpoint = .address("127.0.0.7") }
        let response = try await provider.request(.get(servers.nginx, "/client-address"))
        #expect(try response.mapString() == "127.0.0.7")
    }

    // MARK: HTTP/2 without TLS

    @Test func callsByPriorKnowledgeAreAllAnswered() async throws {
        let mark = uniqueMark()
        let provider = provider { $0.httpVersions = .http2PriorKnowledge }
        let call = get(servers.nginxH2C, mark: mark)
        // Calls that follow one, and calls at once.
        for _ in 0..<3 { _ = try await provider.request(call) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await provider.request(call).data.count } }
            for try await count in group { #expect(count == 196) }
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 23)
        #expect(entries.count == 23)
        #expect(Set(entries.map(\.httpVersion)) == ["HTTP/2.0"])
    }

    @Test func priorKnowledgeLeavesTheVersionOverTLSToTheServer() async throws {
        let mark = uniqueMark()
        let provider = provider { $0.httpVersions = .http2PriorKnowledge }
        for server in [servers.nginxH2C, servers.nginxTLS, servers.nginxH2C] {
            _ = try await provider.request(get(server, mark: mark))
        }
        let wrongName = MoyaProvider<Call>(
            session: Session(
                startRequestsImmediately: false,
                serverTrustManager: ServerTrustManager(evaluators: ["localhost": DisabledTrustEvaluator()]),
                transportConfiguration: TransportConfiguration(httpVersions: .http2PriorKnowledge, proxy: .none)))
        _ = try await wrongName.request(get(servers.nginxWrongName, mark: mark))
        let versions = try await servers.accessLog.entries(marked: mark, count: 4).map(\.httpVersion)
        #expect(versions == ["HTTP/2.0", "HTTP/2.0", "HTTP/2.0", "HTTP/1.1"])
    }

    // MARK: Keys

    @Test(arguments: [true, false])
    func keysAreWrittenToTheFile(hasPin: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("keys")
            let configuration = TransportConfiguration(
                certificateAuthorities: .file(servers.certificateAuthority), proxy: .none, tlsKeyLogFile: file)
            let trust = hasPin ? ServerTrustManager(evaluators: ["localhost": pin]) : nil
            let session = Session(
                startRequestsImmediately: false, serverTrustManager: trust, transportConfiguration: configuration)
            _ = try await MoyaProvider<Call>(session: session).request(get(servers.nginxTLS13))
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") })
            #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
        }
    }

    /// In a separate process, whose libcurl reads the variable when it begins.
    ///
    /// Without a pin libcurl makes the handshake's decisions, with one the transport.
    @Test(arguments: [true, false])
    func theVariableAloneWritesNoKeys(hasPin: Bool) async {
        await #expect(processExitsWith: .success) { [hasPin] in
            try await withTemporaryDirectory { directory in
                let file = directory.appendingPathComponent("keys")
                setenv("SSLKEYLOGFILE", file.path, 1)
                let tests = try SocketTests()
                let configuration = TransportConfiguration(
                    certificateAuthorities: .file(tests.servers.certificateAuthority), proxy: .none)
                let trust = hasPin ? ServerTrustManager(evaluators: ["localhost": tests.pin]) : nil
                let session = Session(
                    startRequestsImmediately: false, serverTrustManager: trust, transportConfiguration: configuration)
                let response = try await MoyaProvider<Call>(session: session).request(
                    tests.get(tests.servers.nginxTLS13))
                #expect(response.data.count == 196)
                #expect(((try? Data(contentsOf: file)) ?? Data()).isEmpty)
            }
        }
    }
}
