#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// A request whose Expect the server refuses with 417 (RFC 9110 section 10.1.1).
@Suite(.timeLimit(.minutes(1))) struct ExpectationTests {
    private let bodies = Watched<[String]>([])

    /// A server that refuses the field as long as it is sent.
    private func server(refusesAlways: Bool = false) async throws -> LoopbackServer {
        try await LoopbackServer(.init(answersExpectations: false)) { [bodies] exchange in
            guard exchange.request.fields["Expect"] == nil, !refusesAlways else {
                return try await exchange.respond(417, body: "no")
            }
            let body = String(decoding: try await exchange.body(), as: UTF8.self)
            bodies.update { $0.append(body) }
            try await exchange.respond(body: "done")
        }
    }

    private func send(_ body: TransportBody, to server: LoopbackServer, method: String = "POST") async throws
        -> HeardEvents
    {
        try await CurlTransport.separate().run(
            server.request(method, "/", [("Expect", "100-continue")], body: body))
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func theRequestIsSentAgainWithoutIt(method: String) async throws {
        let server = try await server()
        let answer = try await send(.data(Data("x".utf8)), to: server, method: method)
        #expect(answer.failure == nil)
        #expect(answer.heads.map(\.status) == [200])
        #expect(answer.text == "done")
        #expect(bodies.value == ["x"])
        #expect(server.requestCount == 2)
    }

    @Test func aStreamOfWhichNothingWasReadIsSentAgain() async throws {
        let server = try await server()
        let answer = try await send(.stream(PieceReader(Data("abcd".utf8), piece: 2), length: 4), to: server)
        #expect(answer.text == "done")
        #expect(bodies.value == ["abcd"])
    }

    @Test func aSecondRefusalIsTheResponseWithItsBody() async throws {
        let server = try await server(refusesAlways: true)
        let answer = try await send(.data(Data("x".utf8)), to: server)
        #expect(answer.failure == nil)
        #expect(answer.heads.map(\.status) == [417])
        #expect(answer.text == "no")
        #expect(server.requestCount == 2)
    }

    /// A server that has answered without consent waits for the body, as which it would take the next request.
    @Test func theConnectionOfAnEarlyResponseIsNotUsedAfterALostOne() async throws {
        let server = try await LoopbackServer(.init(answersExpectations: false)) { exchange in
            guard exchange.request.method == "PUT" else { return try await exchange.respond(body: "plain") }
            // On the connection of the first request the body arrives after a second, and no response.
            if exchange.connection.number == 1 {
                _ = try await exchange.body()
                return exchange.close()
            }
            try await exchange.respond(body: "early")
        }
        let transport = CurlTransport.separate()
        #expect(try await transport.run(server.request()).text == "plain")
        let answer = try await transport.run(
            server.request("PUT", "/", [("Expect", "100-continue")], body: .data(Data("x".utf8))))
        #expect(answer.text == "early")
        #expect(try await transport.run(server.request()).text == "plain")
        #expect(server.connectionCount == 3)
    }

    /// libcurl sends the body after a second without consent.
    @Test func aStreamOfWhichAPartWasSentFailsWithAReason() async throws {
        let reader = PausedBody()
        let server = try await LoopbackServer(.init(answersExpectations: false)) { exchange in
            try await reader.isPaused.wait()
            try await exchange.respond(417, body: "no")
        }
        let answer = try await send(.stream(reader, length: 9), to: server)
        #expect(answer.heads.isEmpty)
        #expect(answer.failure?.message.contains("Send the request without Expect") == true, "\(answer.failure as Any)")
        #expect(server.requestCount == 1)
    }
}
#endif
