#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct ResendPolicyTests {
    /// Answers the first request, and breaks the connection at the second one of each connection.
    private func server() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            if exchange.request.path == "/ready" { return try await exchange.respond() }
            _ = try await exchange.body()
            exchange.close()
        }
    }

    @Test(arguments: ["POST", "PATCH", "post", "LOCK"])
    func aRequestThatIsNotIdempotentIsSentOnce(method: String) async throws {
        let server = try await server()
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request("GET", "/ready"))
        let answer = try await transport.run(server.request(method, "/broken"))
        #expect(answer.kind == .reset)
        #expect(answer.failure?.message.contains(method) == true)
        #expect(server.requests.count { $0.path == "/broken" } == 1)
    }

    @Test(arguments: ["GET", "PUT", "DELETE", "OPTIONS", "QUERY"])
    func anIdempotentRequestIsSentAgainOnce(method: String) async throws {
        let server = try await server()
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request("GET", "/ready"))
        let answer = try await transport.run(server.request(method, "/broken"))
        #expect(answer.kind == .reset)
        #expect(server.requests.count { $0.path == "/broken" } == 2)
    }

    /// libcurl counts these over the life of a handle, and gives up the sixth.
    @Test func connectionsThatCloseDuringSuccessiveCallsFailNone() async throws {
        let known = Lock<Set<Int>>([])
        let server = try await LoopbackServer { exchange in
            let isFirst = known.withLock { $0.insert(exchange.connection.number).inserted }
            if isFirst { try await exchange.respond() } else { exchange.close() }
        }
        let transport = CurlTransport.separate()
        for _ in 0..<20 {
            #expect(try await transport.run(server.request("GET", "/")).failure == nil)
        }
    }

    private let post = HTTPRequest(method: "POST", url: "https://a.example/")
    private let get = HTTPRequest(method: "GET", url: "https://a.example/")

    private func sent(_ request: HTTPRequest, hearing: Bool = false) -> ResendPolicy {
        var policy = ResendPolicy()
        _ = policy.maySend(request)
        policy.hasHeard = hearing
        return policy
    }

    @Test func aFirstSendingIsAlwaysAllowed() {
        #expect(ResendPolicy().sends(get, times: 1) == [true])
        #expect(ResendPolicy().sends(post, times: 1) == [true])
    }

    @Test func aSecondSendingWithoutAnAnswerRequiresAnIdempotentRequest() {
        #expect(sent(get).sends(get, times: 1) == [true])
        #expect(sent(post).sends(post, times: 1) == [false])
    }

    @Test func anAnswerToAChallengeIsSentOnce() {
        #expect(sent(post, hearing: true).sends(post, times: 2) == [true, false])
    }

    @Test(arguments: [
        CURLE_SEND_ERROR.rawValue, CURLE_RECV_ERROR.rawValue, CURLE_GOT_NOTHING.rawValue, CURLE_PARTIAL_FILE.rawValue,
        CURLE_HTTP2.rawValue,
    ])
    func anIdempotentRequestOnAUsedConnectionRestartsOnce(code: UInt32) {
        var policy = sent(get)
        let restarts = (0..<2).map { _ in policy.mayRestart(get, after: CURLcode(code), wasReused: true) }
        #expect(restarts == [true, false])
    }

    @Test func otherFailuresDoNotRestart() {
        var cases = [
            sent(get, hearing: true).restarts(get), sent(post).restarts(post), ResendPolicy().restarts(get),
            sent(get).restarts(get, wasReused: false), sent(get).restarts(get, after: CURLE_HTTP2_STREAM),
            sent(get).restarts(get, after: CURLE_OPERATION_TIMEDOUT),
        ]
        let authenticated = HTTPRequest(
            method: "GET", url: "https://a.example/",
            authentication: .init(scheme: .digest, user: "ole", password: "secret"))
        cases.append(sent(authenticated).restarts(authenticated))
        #expect(cases == cases.map { _ in false })
    }
}

extension ResendPolicy {
    fileprivate func sends(_ request: HTTPRequest, times: Int) -> [Bool] {
        var policy = self
        return (0..<times).map { _ in policy.maySend(request) }
    }

    fileprivate func restarts(
        _ request: HTTPRequest, after code: CURLcode = CURLE_RECV_ERROR, wasReused: Bool = true
    ) -> Bool {
        var policy = self
        return policy.mayRestart(request, after: code, wasReused: wasReused)
    }
}
#endif
