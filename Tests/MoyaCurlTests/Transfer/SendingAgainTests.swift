#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct SendingAgainTests {
    /// Answers the first request, and breaks the connection at the second one of each connection.
    private func server() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            if exchange.request.path == "/ready" { return try await exchange.respond() }
            _ = try await exchange.body()
            exchange.close()
        }
    }

    @Test(arguments: ["POST", "PATCH", "post", "LOCK"])
    func whatIsNotIdempotentIsSentOnce(method: String) async throws {
        let server = try await server()
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request("GET", "/ready"))
        let answer = try await transport.run(server.request(method, "/broken"))
        #expect(answer.kind == .reset)
        #expect(answer.failure?.message.contains(method) == true)
        #expect(server.requests.count { $0.path == "/broken" } == 1)
    }

    @Test(arguments: ["GET", "PUT", "DELETE", "OPTIONS"])
    func whatIsIdempotentIsSentAgain(method: String) async throws {
        let server = try await server()
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request("GET", "/ready"))
        let answer = try await transport.run(server.request(method, "/broken"))
        #expect(answer.kind == .reset)
        #expect(server.requests.count { $0.path == "/broken" } == 2)
    }

    @Test func aRefusedStreamMayBeSentAgain() {
        var sending = SendingAgain()
        let post = TransportRequest(method: "POST", url: "https://a.example/")
        #expect(sending.maySend(post, fromPort: 1) { _ in false })
        #expect(sending.maySend(post, fromPort: 2) { $0 == 1 })
        #expect(!sending.maySend(post, fromPort: 3) { $0 == 1 })
    }

    @Test func anAnswerToWhatTheServerSaidIsSent() {
        var sending = SendingAgain()
        let post = TransportRequest(method: "POST", url: "http://a.example/")
        #expect(sending.maySend(post, fromPort: 1) { _ in false })
        sending.hasHeard = true
        #expect(sending.maySend(post, fromPort: 1) { _ in false })
    }
}
#endif
