#if OpenAPI
import Foundation
import HTTPTypes
import MoyaOpenAPI
import MoyaSession
import MoyaTesting
import OpenAPIRuntime
import Testing

/// The settings of a session, for the calls of a generated client.
@Suite(.timeLimit(.minutes(2))) struct SessionSettingsTests {
    /// Answers with the number of the request, which may be kept for a minute.
    private func countingServer() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            let count = exchange.request.fields["If-None-Match"] == nil ? "1" : "2"
            try await exchange.respond(200, ["Cache-Control": "max-age=60", "ETag": "\"a\""], body: count)
        }
    }

    private func client(of server: LoopbackServer) -> StoreClient {
        StoreClient(
            serverURL: server.url,
            transport: SessionClientTransport(session: Session(cache: .memory())))
    }

    @Test func freshResponseComesFromTheCache() async throws {
        let server = try await countingServer()
        let client = client(of: server)
        for _ in 0..<3 { #expect(try await client.send(.get, "/a").text() == "1") }
        #expect(server.requests.count == 1)
    }

    @Test func requestWithoutTheCacheReachesTheServer() async throws {
        let server = try await countingServer()
        let client = client(of: server)
        for _ in 0..<2 { _ = try await client.send(.get, "/a", [.cacheControl: "no-store"]).text() }
        #expect(server.requests.count == 2)
    }

    @Test func changedResourceIsReadFromTheServerAgain() async throws {
        let server = try await countingServer()
        let client = client(of: server)
        _ = try await client.send(.post, "/a", body: "x").text()
        _ = try await client.send(.get, "/a").text()
        _ = try await client.send(.post, "/a", body: "x").text()
        _ = try await client.send(.get, "/a").text()
        #expect(server.requests.map(\.method) == ["POST", "GET", "POST", "GET"])
    }

    #if os(Linux)
    private static let hasOpenSSL = (try? TLSServer()) != nil

    @Test(.enabled(if: hasOpenSSL, "openssl is missing, which serves over TLS"))
    func pinnedCertificateIsAccepted() async throws {
        let server = try TLSServer()
        let pin = PinnedCertificatesTrustEvaluator(
            certificates: [try server.certificate()], acceptSelfSignedCertificates: true)
        let output = try await server.client(ServerTrustManager(evaluators: ["127.0.0.1": pin])).send(.get, "/")
        #expect(output.response.status == .ok)
        #expect(try await output.text().contains("Cipher"))
    }

    @Test(.enabled(if: hasOpenSSL, "openssl is missing, which serves over TLS"))
    func foreignCertificateEndsTheCallWithTheReason() async throws {
        let (server, other) = (try TLSServer(), try TLSServer())
        let pin = PinnedCertificatesTrustEvaluator(
            certificates: [try other.certificate()], acceptSelfSignedCertificates: true)
        let error = await #expect(throws: ClientError.self) {
            try await server.client(ServerTrustManager(evaluators: ["127.0.0.1": pin])).send(.get, "/")
        }
        #expect((error?.underlyingError as? SessionError)?.isServerTrustEvaluationError == true)
    }
    #endif
}

#if os(Linux)
/// One connection to a server of OpenSSL, with a certificate of its own for 127.0.0.1.
private final class TLSServer {
    private let output: UnsafeMutablePointer<FILE>
    private let folder: URL
    private let process: pid_t
    private let port: Int

    struct CannotStart: Error {}

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let command = """
            echo $$; cd '\(folder.path)' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 \
            -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null && exec timeout 60 openssl s_server \
            -accept 127.0.0.1:0 -cert certificate.pem -key key.pem -www -naccept 1 2>/dev/null </dev/null
            """
        guard let output = popen(command, "r") else { throw CannotStart() }
        var (process, port): (pid_t?, Int?) = (nil, nil)
        var line = [CChar](repeating: 0, count: 1024)
        while port == nil, fgets(&line, Int32(line.count), output) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if process == nil { process = pid_t(text) }
            if text.hasPrefix("ACCEPT ") { port = text.split(separator: ":").last.flatMap { Int($0) } }
        }
        guard let process, let port else {
            pclose(output)
            try? FileManager.default.removeItem(at: folder)
            throw CannotStart()
        }
        self.output = output
        self.process = process
        self.port = port
    }

    func certificate() throws -> Data { try Data(contentsOf: folder.appendingPathComponent("certificate.pem")) }

    func client(_ manager: ServerTrustManager) throws -> StoreClient {
        StoreClient(
            serverURL: try #require(URL(string: "https://127.0.0.1:\(port)")),
            transport: SessionClientTransport(session: Session(serverTrustManager: manager)))
    }

    deinit {
        kill(process, SIGTERM)
        pclose(output)
        try? FileManager.default.removeItem(at: folder)
    }
}
#endif
#endif
