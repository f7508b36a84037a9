import Foundation
import Moya
import MoyaTesting
import Testing

/// The samples of the article StubbingAndTesting.
@Suite struct StubbingAndTestingSamples {
    // snippet: stub
    @Test func theListIsEmptyAtFirst() async throws {
        let provider = MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub)
        let items = try await provider.request(.items, as: [Item].self)
        #expect(items.isEmpty)
    }
    // end

    // snippet: scripted
    @Test func aBusyServerIsAskedAgain() async throws {
        let transport = ScriptedTransport(
            .response(503), .response(200, body: #"[{"name": "Kettle"}]"#))
        let provider = MoyaProvider<Shop>(
            session: Session(configuration: .isolated, startRequestsImmediately: false, transport: transport),
            middleware: [.retry(attempts: 2, backoff: .none)])

        let items = try await provider.request(.items, as: [Item].self)

        #expect(items.map(\.name) == ["Kettle"])
        #expect(transport.requests.count == 2)
    }
    // end

    // snippet: rules
    @Test func eachPathHasAnAnswer() async throws {
        let transport = ScriptedTransport()
            .when("GET", "/items", answer: .response(200, body: "[]"))
            .when({ $0.url.contains("/items/") }, answer: .failure(.connect))
        let provider = MoyaProvider<Shop>(
            session: Session(configuration: .isolated, startRequestsImmediately: false, transport: transport))

        #expect(try await provider.request(.items).statusCode == 200)
        await #expect(throws: MoyaError.self) { try await provider.request(.item(1)) }
        #expect(transport.unexpectedRequests.isEmpty)
    }
    // end

    // snippet: server
    struct Page: TargetType {
        let baseURL: URL
        var path: String { "page" }
        var method: Moya.Method { .get }
        var task: Task { .requestPlain }
        var headers: [String: String]? { nil }
    }

    @Test func aServerThatClosesTheConnectionIsAnError() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("half")
            exchange.reset()
        }
        let provider = MoyaProvider<Page>(session: Session(configuration: .isolated, startRequestsImmediately: false))

        await #expect(throws: MoyaError.self) { try await provider.request(Page(baseURL: server.url)) }
        #expect(server.requestCount == 1)
    }
    // end

    // snippet: clock
    @Test func waitsForANetworkAreLimited() async throws {
        let clock = TestClock()
        let provider = MoyaProvider<Shop>(
            stubClosure: MoyaProvider.immediatelyStub,
            middleware: [.waitForConnectivity(AsyncStream { _ in }, atMost: .seconds(30))],
            clock: clock)

        let call = _Concurrency.Task { try await provider.request(.items) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))

        await #expect(throws: MoyaError.self) { try await call.value }
    }
    // end

    // snippet: middleware
    @Test func aCallIsMadeTwice() async throws {
        let call = MiddlewareCall(target: Shop.items, request: URLRequest(url: URL(string: "http://shop.example.com")!))
        let next = NextMiddleware { call in Response(statusCode: call.attempt == 1 ? 503 : 200, data: Data()) }

        let response = try await RetryMiddleware(attempts: 2, backoff: .none).intercept(call, next: next)

        #expect(response.statusCode == 200)
    }
    // end
}
