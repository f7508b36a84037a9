#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// A socket stands for one origin: a redirect leads away from it as from any other server.
@Suite(.timeLimit(.minutes(3))) struct UnixSocketRedirectTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/moya-XXXXXX".utf8CString)
        #expect(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func session() -> Session {
        Session(
            transportConfiguration: TransportConfiguration(
                proxy: .none, unixSockets: [.init(path: "\(folder)/s", origin: "http://sample.test")]))
    }

    private func server(redirectingTo target: String) async throws -> LoopbackServer {
        try await LoopbackServer(.init(unixSocketPath: "\(folder)/s")) { exchange in
            guard exchange.request.path == "/go" else { return try await exchange.respond(body: "socket") }
            try await exchange.respond(302, ["Location": target])
        }
    }

    private let headers: HTTPHeaders = ["Authorization": "Bearer secret"]

    @Test func leavesTheSocketWithoutCredentials() async throws {
        let network = try await LoopbackServer { try await $0.respond(body: "network") }
        let socket = try await server(redirectingTo: "\(network.url)/there")
        let session = session()
        let outcome = await session.request("http://sample.test/go", headers: headers).outcome()
        #expect(outcome.data == Data("network".utf8))
        #expect(network.requests.first?.fields["Authorization"] == nil)
        #expect(socket.requestCount == 1)
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test func staysOnTheSocketWithinItsOrigin() async throws {
        let socket = try await server(redirectingTo: "/there")
        let session = session()
        let outcome = await session.request("http://sample.test/go", headers: headers).outcome()
        #expect(outcome.data == Data("socket".utf8))
        #expect(socket.requests.last?.fields["Authorization"] == "Bearer secret")
        #expect(socket.requestCount == 2)
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test func leadsToTheSocketOnlyByItsOrigin() async throws {
        let socket = try await server(redirectingTo: "http://sample.test:1/there")
        let session = session()
        let outcome = await session.request("http://sample.test/go", headers: headers).outcome()
        #expect(outcome.error != nil)
        #expect(socket.requestCount == 1)
        try? FileManager.default.removeItem(atPath: folder)
    }
}
#endif
