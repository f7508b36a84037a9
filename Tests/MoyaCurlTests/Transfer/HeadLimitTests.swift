#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// Heads longer than libcurl or nghttp2 can send.
@Suite(.timeLimit(.minutes(3))) struct HeadLimitTests {
    enum Part: CaseIterable { case url, field }

    private func request(_ part: Part, _ length: Int, to server: LoopbackServer) -> HTTPRequest {
        let text = String(repeating: "a", count: length)
        var request = server.request("GET", part == .url ? "/\(text)" : "/")
        if part == .field { request.fields.append(HTTPField(name: "X-Long", value: text)) }
        return request
    }

    @Test(arguments: Part.allCases) func aLongHeadIsSent(part: Part) async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "ok") }
        let transport = CurlTransport.separate()
        let answer = try await transport.run(request(part, 900_000, to: server))
        #expect(answer.failure == nil)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: Part.allCases) func aHeadBeyondTheLimitIsRefusedByItsSize(part: Part) async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "ok") }
        let transport = CurlTransport.separate()
        let answer = try await transport.run(request(part, 1_000_000, to: server))
        #expect(answer.failure?.kind == .unsupported)
        #expect(answer.failure?.message.contains("1000000") == true)
        #expect(answer.failure?.message.contains("have 1000") == true)
        #expect(server.connectionCount == 0)
    }

    @Test func aStreamByPriorKnowledgeHasALowerLimit() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "ok") }
        let transport = CurlTransport.separate(TransportConfiguration(httpVersions: .http2PriorKnowledge))
        let answer = try await transport.run(request(.url, 70_000, to: server))
        #expect(answer.failure?.kind == .unsupported)
        #expect(answer.failure?.message.contains("64000 over HTTP/2") == true)
        #expect(server.connectionCount == 0)
    }
}
#endif
