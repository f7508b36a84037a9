#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct DigestChallengeTests {
    private static let mufasa = TransportAuthentication(scheme: .digest, user: "Mufasa", password: "Circle of Life")

    /// A server that requires Digest, and takes any answer with the nonce.
    private func server(
        _ challenge: String, body: String = "denied", isAccepted: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.discardBody()
            if let answer = exchange.request.fields["Authorization"], isAccepted(answer) {
                try await exchange.respond(200, ["X-Answer": "final"], body: "welcome")
            } else {
                try await exchange.respond(401, ["WWW-Authenticate": challenge], body: body)
            }
        }
    }

    private func run(
        _ server: LoopbackServer, _ method: String = "GET", _ fields: [(String, String)] = [],
        body: TransportBody = .none, as authentication: TransportAuthentication? = mufasa,
        on transport: CurlTransport = .separate(), sink: ListeningSink = ListeningSink()
    ) async throws -> HeardEvents {
        var request = server.request(method, "/secret?a=b", fields, body: body)
        request.authentication = authentication
        return try await transport.run(request, sink: sink)
    }

    @Test(arguments: [("MD5", 32), ("SHA-256", 64)])
    func answersByTheRequestedAlgorithm(algorithm: String, digits: Int) async throws {
        let server = try await server(
            "Digest realm=\"r\", qop=\"auth\", algorithm=\(algorithm), nonce=\"n1\", opaque=\"o\"")
        let answer = try await run(server)
        #expect(answer.text == "welcome")
        let sent = try #require(server.requests.last?.fields["Authorization"])
        for part in [
            "Digest username=\"Mufasa\"", "realm=\"r\"", "nonce=\"n1\"", "uri=\"/secret?a=b\"", "nc=00000001",
            "qop=auth",
            "opaque=\"o\"", "algorithm=\(algorithm)",
        ] {
            #expect(sent.contains(part), "\(part) is not in \(sent)")
        }
        let response = try #require(sent.firstMatch(of: /response="([0-9a-f]+)"/)?.output.1)
        #expect(response.count == digits)
    }

    @Test func theIntermediateResponseStaysWithTheTransport() async throws {
        let server = try await server("Digest realm=\"r\", qop=\"auth\", nonce=\"n1\"")
        let answer = try await run(server)
        #expect(answer.order == ["head", "chunk", "end"])
        #expect(answer.heads.map(\.status) == [200])
        #expect(answer.head?.value(for: "x-answer") == "final")
        #expect(answer.failure == nil)
        #expect(server.requestCount == 2)
        #expect(server.requests.first?.fields["Authorization"] == nil)
    }

    @Test func aNonceThatIsOutOfDateIsReplaced() async throws {
        let server = try await LoopbackServer { exchange in
            let answer = exchange.request.fields["Authorization"] ?? ""
            let challenge =
                answer.contains("nonce=\"old\"")
                ? "Digest realm=\"r\", qop=\"auth\", nonce=\"new\", stale=true"
                : "Digest realm=\"r\", qop=\"auth\", nonce=\"old\""
            if answer.contains("nonce=\"new\"") {
                try await exchange.respond(200, body: "welcome")
            } else {
                try await exchange.respond(401, ["WWW-Authenticate": challenge], body: "denied")
            }
        }
        let answer = try await run(server)
        #expect(answer.heads.map(\.status) == [200])
        #expect(answer.text == "welcome")
        #expect(server.requestCount == 3)
    }

    @Test func aServerThatFindsEveryAnswerStaleIsNotFollowedForever() async throws {
        let server = try await server(
            "Digest realm=\"r\", qop=\"auth\", nonce=\"n\", stale=true", isAccepted: { _ in false })
        let answer = try await run(server)
        #expect(answer.kind == .protocolViolation)
        #expect(server.requestCount < 12)
    }

    @Test(arguments: ["", "denied again"])
    func aSecondRefusalIsTheResponse(body: String) async throws {
        let server = try await server(
            "Digest realm=\"r\", qop=\"auth\", nonce=\"n\"", body: body, isAccepted: { _ in false })
        let answer = try await run(server)
        #expect(answer.heads.map(\.status) == [401])
        #expect(answer.text == body)
        #expect(answer.failure == nil)
        #expect(server.requestCount == 2)
    }

    @Test(arguments: ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", algorithm=ROT-13", "NTLM"])
    func aChallengeThatCannotBeAnsweredIsTheResponse(challenge: String) async throws {
        let server = try await server(challenge)
        let answer = try await run(server)
        #expect(answer.heads.map(\.status) == [401])
        #expect(answer.text == "denied")
        #expect(answer.failure == nil)
        #expect(server.requestCount == 1)
    }

    /// libcurl sends the request first without its body, and again with it after a success.
    @Test func aServerThatNeedsNoCredentialsAnyMoreGetsTheBody() async throws {
        let server = try await LoopbackServer { exchange in
            let body = try await exchange.body()
            try await exchange.respond(body: "\(body.count) bytes")
        }
        let answer = try await run(server, "POST", body: .data(Data("hello".utf8)))
        #expect(answer.failure == nil)
        #expect(answer.heads.map(\.status) == [200])
        #expect(answer.text == "5 bytes")
    }

    @Test func serverWithoutAChallengeGetsNoCredentials() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "open") }
        #expect(try await run(server).text == "open")
        #expect(server.requestCount == 1)
        #expect(server.requests.first?.fields["Authorization"] == nil)
    }

    @Test func aBodyIsSentWithTheAnswer() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            if exchange.request.fields["Authorization"] == nil {
                try await exchange.respond(
                    401, ["WWW-Authenticate": "Digest realm=\"r\", qop=\"auth\", nonce=\"n\""], body: "denied")
            } else {
                try await exchange.respond(body: "stored")
            }
        }
        let body = unlikeBytes(100_000)
        let answer = try await run(server, "POST", body: .data(body))
        #expect(answer.text == "stored")
        #expect(server.requests.last?.body == body)
    }

    @Test func aHEADIsAnsweredToo() async throws {
        let server = try await server("Digest realm=\"r\", qop=\"auth\", nonce=\"n\"")
        let answer = try await run(server, "HEAD")
        #expect(answer.heads.map(\.status) == [200])
        #expect(answer.order == ["head", "end"])
        #expect(server.requests.map(\.method) == ["HEAD", "HEAD"])
    }

    @Test func aHEADWithABodyIsRefused() async throws {
        let server = try await server("Digest realm=\"r\", qop=\"auth\", nonce=\"n\"")
        let failure = try #require(try await run(server, "HEAD", body: .data(Data("x".utf8))).failure)
        #expect(failure.kind == .unsupported)
        #expect(failure.message == "A HEAD request with a body cannot be authenticated by digest.")
        #expect(server.requestCount == 0)
    }

    @Test func anAuthorizationAmongTheFieldsIsNotSentBesideTheAnswer() async throws {
        let server = try await server("Digest realm=\"r\", qop=\"auth\", nonce=\"n\"")
        #expect(try await run(server, "GET", [("authorization", "Bearer hidden")]).text == "welcome")
        #expect(server.requests.first?.fields["Authorization"] == nil)
        #expect(server.requests.last?.fields.values(for: "Authorization").count == 1)
        #expect(server.requests.last?.fields["Authorization"]?.contains("hidden") == false)
    }

    @Test func theNextExchangeKnowsNothingOfTheCredential() async throws {
        let server = try await server("Digest realm=\"r\", qop=\"auth\", nonce=\"n\"")
        let transport = CurlTransport.separate()
        #expect(try await run(server, on: transport).text == "welcome")
        let next = try await run(server, as: nil, on: transport)
        #expect(next.heads.map(\.status) == [401])
        #expect(server.requestCount == 3)
        #expect(server.requests.last?.fields["Authorization"] == nil)
    }

    @Test func aSinkThatWaitsAtAHeldHeadReceivesTheBodyLater() async throws {
        let server = try await server("Basic realm=\"r\"", body: "denied")
        let sink = ListeningSink { $0.order == ["head"] ? .wait : .more }
        let transport = CurlTransport.separate()
        var request = server.request()
        request.authentication = Self.mufasa
        let running = transport.begin(request, sink: sink)
        try await sink.waitUntil { $0.order == ["head"] }
        try await transport.settle()
        #expect(sink.heard.order == ["head"])
        running.handle.resume()
        #expect(try await sink.waitForEnd().text == "denied")
    }

    @Test func aBrokenSecondStepIsNotTakenForTheFirstsResponse() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.fields["Authorization"] == nil {
                try await exchange.respond(
                    401, ["WWW-Authenticate": "Digest realm=\"r\", qop=\"auth\", nonce=\"n\""], body: "denied")
            } else {
                exchange.reset()
            }
        }
        let answer = try await run(server)
        #expect(answer.heads.isEmpty)
        #expect(answer.kind == .reset)
    }

    @Test func quotesInAUserNameAreEscaped() async throws {
        let server = try await server("Digest realm=\"r\", qop=\"auth\", nonce=\"n\"")
        let odd = TransportAuthentication(scheme: .digest, user: "a:\"b", password: "p")
        #expect(try await run(server, as: odd).text == "welcome")
        #expect(server.requests.last?.fields["Authorization"]?.contains("username=\"a:\\\"b\"") == true)
    }
}
#endif
