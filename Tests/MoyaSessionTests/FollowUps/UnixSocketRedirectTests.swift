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

    private func session(_ redirectHandler: (any RedirectHandler)? = nil) -> Session {
        Session(
            redirectHandler: redirectHandler,
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

    @Test(arguments: [
        "http://sample.test/there", "http://SAMPLE.test:80/there", "//sample.test./there", "http://s%61mple.test/there",
    ])
    func leadsFromNoOtherOriginIntoTheSocket(location: String) async throws {
        let socket = try await server(redirectingTo: "/there")
        let network = try await LoopbackServer { try await $0.respond(307, ["Location": location]) }
        for handler in [nil, Redirector.follow] {
            let session = session(handler)
            let error = await session.request(network.url, method: .post, headers: headers).outcome().error
            #expect(error?.localizedDescription.contains("into a Unix domain socket") == true)
        }
        #expect(network.requestCount == 2)
        #expect(socket.requestCount == 0)
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test func leadsNoOtherServerBackIntoTheSocket() async throws {
        let network = try await LoopbackServer { try await $0.respond(302, ["Location": "http://sample.test/there"]) }
        let socket = try await server(redirectingTo: "\(network.url)")
        let session = session()
        #expect(await session.request("http://sample.test/go", headers: headers).outcome().error != nil)
        #expect(network.requestCount == 1)
        #expect(socket.requestCount == 1)
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
