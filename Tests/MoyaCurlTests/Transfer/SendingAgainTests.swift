#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTesting
import MoyaTransport
import Synchronization
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

    /// libcurl counts these over the life of a handle, and gives up the sixth.
    @Test func connectionsThatDieUnderOneCallAfterTheOtherFailNone() async throws {
        let known = Mutex<Set<Int>>([])
        let server = try await LoopbackServer { exchange in
            let isFirst = known.withLock { $0.insert(exchange.connection.number).inserted }
            if isFirst { try await exchange.respond() } else { exchange.close() }
        }
        let transport = CurlTransport.separate()
        for _ in 0..<20 {
            #expect(try await transport.run(server.request("GET", "/")).failure == nil)
        }
    }

    private let post = TransportRequest(method: "POST", url: "https://a.example/")
    private let get = TransportRequest(method: "GET", url: "https://a.example/")

    @Test func aRefusedStreamMayBeSentAgain() {
        var sending = SendingAgain()
        #expect(sending.maySend(post, fromPort: 1, words: "") { _ in false })
        #expect(sending.maySend(post, fromPort: 2, words: "") { $0 == 1 })
        #expect(!sending.maySend(post, fromPort: 3, words: "") { $0 == 1 })
    }

    @Test func aStreamWhoseConnectionBrokeMayNot() {
        var sending = SendingAgain()
        #expect(sending.maySend(post, fromPort: 1, words: "") { _ in true })
        #expect(!sending.maySend(post, fromPort: 2, words: "Failed receiving HTTP2 data") { _ in true })
    }

    @Test(arguments: ["stream 1 was not closed cleanly: HTTP_1_1_REQUIRED (err 13)", "Empty reply from server"])
    func aServerThatWantsHTTP1GetsIt(words: String) {
        var sending = SendingAgain()
        #expect(sending.maySend(post, fromPort: 1, words: "") { _ in true })
        #expect(sending.maySend(post, fromPort: 2, words: words) { _ in true })
    }

    // MARK: What libcurl gives up

    private let givenUp = "Connection died, tried 5 times before giving up"
    private let cutOff = "HTTP/2 stream 7 was not closed cleanly before end of the underlying stream"

    private func sent(_ request: TransportRequest, hearing: Bool = false) -> SendingAgain {
        var sending = SendingAgain()
        _ = sending.maySend(request, fromPort: 1, words: "") { _ in true }
        sending.hasHeard = hearing
        return sending
    }

    @Test(arguments: ["GET", "POST"], [CURLE_SEND_ERROR.rawValue, CURLE_RECV_ERROR.rawValue])
    func aStreamThatIsRefusedTimeAndAgainBeginsAgain(method: String, code: UInt32) {
        let request = TransportRequest(method: method, url: "https://a.example/")
        var sending = sent(request)
        #expect(
            sending.noteGivenUp(request, after: CURLcode(code), words: givenUp, wasReused: false) { $0 == 1 })
    }

    @Test func aStreamMadeAsItsConnectionEndedBeginsAgainWhereThatIsIdempotent() {
        for request in [get, post] {
            var sending = sent(request)
            #expect(
                sending.noteGivenUp(request, after: CURLE_HTTP2, words: "", wasReused: true) { _ in true }
                    == (request.method == "GET"))
        }
    }

    @Test func aServerThatRefusesEveryStreamIsGivenUp() {
        var sending = sent(post)
        var rounds = 0
        while sending.noteGivenUp(
            post, after: CURLE_SEND_ERROR, words: givenUp, wasReused: false, hasStreams: { _ in true }),
            rounds < 1000
        {
            rounds += 1
        }
        #expect(rounds == 4)
    }

    @Test func aConnectionWithoutStreamsRefusesNone() {
        var sending = sent(post)
        #expect(!sending.noteGivenUp(post, after: CURLE_SEND_ERROR, words: givenUp, wasReused: false) { _ in false })
    }

    /// libcurl counts over the life of a handle: it may give up at the first connection that was dead.
    @Test func whatIsIdempotentIsNotGivenUpForConnectionsThatDiedUnderOthers() {
        var sending = sent(get)
        #expect(sending.noteGivenUp(get, after: CURLE_SEND_ERROR, words: givenUp, wasReused: true) { _ in false })
        #expect(!sending.wasOnlyRefused(words: "Failed to connect to a.example port 443") { _ in true })
    }

    @Test func whatWasHeardOfDoesNotBeginAgain() {
        var sending = sent(get, hearing: true)
        #expect(!sending.noteGivenUp(get, after: CURLE_SEND_ERROR, words: givenUp, wasReused: true) { _ in true })
    }

    @Test(arguments: [true, false])
    func aUsedConnectionThatWasCutOffCostsWhatIsIdempotentNothing(wasReused: Bool) {
        var sending = sent(get)
        #expect(
            sending.noteGivenUp(get, after: CURLE_PARTIAL_FILE, words: cutOff, wasReused: wasReused) { _ in true }
                == wasReused)
    }

    @Test func whatIsNotIdempotentDoesNotBeginAgainOnceCutOff() {
        var sending = sent(post)
        #expect(!sending.noteGivenUp(post, after: CURLE_PARTIAL_FILE, words: cutOff, wasReused: true) { _ in true })
    }

    @Test func aRefusedRequestThatFindsNoServerWasNotSent() {
        let words = "Failed to connect to a.example port 443 after 1 ms: Couldn't connect to server"
        #expect(sent(post).wasOnlyRefused(words: words) { _ in true })
        #expect(!sent(post).wasOnlyRefused(words: words) { _ in false })
        #expect(!sent(post).wasOnlyRefused(words: "Failed receiving HTTP2 data") { _ in true })
    }

    @Test func whatBeganAgainAfterABreakAndFindsNoServerMayHaveBeenTaken() {
        var sending = sent(get)
        _ = sending.noteGivenUp(get, after: CURLE_PARTIAL_FILE, words: cutOff, wasReused: true) { _ in true }
        #expect(!sending.wasOnlyRefused(words: "Failed to connect to a.example port 443") { _ in true })
    }

    @Test func anAnswerToWhatTheServerSaidIsSent() {
        var sending = SendingAgain()
        #expect(sending.maySend(post, fromPort: 1, words: "") { _ in false })
        sending.hasHeard = true
        #expect(sending.maySend(post, fromPort: 1, words: "") { _ in false })
    }
}
#endif
