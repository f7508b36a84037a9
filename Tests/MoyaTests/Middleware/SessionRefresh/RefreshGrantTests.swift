import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// A public client of OAuth 2 (RFC 6749 section 6).
@Suite struct RefreshGrantTests {
    private let tokenURL = URL(string: "https://auth.example.com/token")!

    private func form(of request: HTTPRequest) -> String? {
        if case .data(let data) = request.body { String(decoding: data, as: UTF8.self) } else { nil }
    }

    @Test func requestIsTheOneOfTheRFC() async throws {
        let transport = StepwiseTransport.answering(200, #"{"access_token":"a"}"#)
        let provider = MoyaProvider<RefreshGrant>(session: Session(transport: transport))
        let grant = RefreshGrant(tokenURL: tokenURL, clientID: "my app", refreshToken: "a+b/c=&d", scope: "read write")
        _ = try await provider.request(grant, as: OAuthTokens.self)
        let request = try #require(transport.requests.values.first)
        #expect(request.method == "POST")
        #expect(request.url == "https://auth.example.com/token")
        #expect(
            form(of: request)
                == "client_id=my%20app&grant_type=refresh_token&refresh_token=a%2Bb/c%3D%26d&scope=read%20write")
    }

    @Test func middlewareOfAPublicClientNeedsNoClosure() async throws {
        let authorization = StepwiseTransport.answering(200, #"{"access_token":"new","expires_in":60}"#)
        let api = StepwiseTransport.answering()
        let refresh = SessionRefresh(
            tokens: InMemoryTokenStore(OAuthTokens(refreshToken: "r")), tokenURL: tokenURL, clientID: "app",
            provider: MoyaProvider(session: Session(transport: authorization)))
        _ = try await MoyaProvider<API>(session: Session(transport: api), middleware: [refresh]).request(API())
        #expect(api.requests.values[0].fields.contains { $0.value == "Bearer new" })
        #expect(form(of: authorization.requests.values[0]) == "client_id=app&grant_type=refresh_token&refresh_token=r")
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["/other", "https://evil.example/token"])
    func redirectOfTheTokenEndpointIsAnError(status: Int, location: String) async throws {
        let store = InMemoryTokenStore(OAuthTokens(refreshToken: "r"))
        let authorization = StepwiseTransport { request, exchange in
            if request.url != "https://auth.example.com/token" {
                return exchange.answer(200, #"{"access_token":"evil"}"#)
            }
            exchange.head(status, ["Location": location, "Content-Length": "0"])
            exchange.end()
        }
        let session = Session(redirectHandler: .follow, transport: authorization)
        let refresh = SessionRefresh(
            tokens: store, tokenURL: tokenURL, clientID: "app", provider: MoyaProvider(session: session))
        let api = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(session: Session(transport: api), middleware: [refresh])
        let error = await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        #expect(error?.response?.statusCode == status)
        #expect(authorization.requests.count == 1)
        #expect(api.requests.count == 0)
        #expect(await store.load()?.refreshToken == "r")
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func aClosuresRequestsStayAtTheirOrigin(status: Int) async throws {
        let store = InMemoryTokenStore(OAuthTokens(refreshToken: "r"))
        let authorization = StepwiseTransport { request, exchange in
            if request.url.contains("evil") { return exchange.answer(200, #"{"access_token":"evil"}"#) }
            exchange.head(status, ["Location": "https://evil.example/token", "Content-Length": "0"])
            exchange.end()
        }
        // Its middleware passes the request on in another task.
        let auth = MoyaProvider<API>(session: Session(transport: authorization), middleware: [PluginsMiddleware()])
        let refresh = SessionRefresh(tokens: store) { refreshToken in
            let target = API(
                method: .post, task: .requestData(Data(refreshToken.utf8)), validationType: .successCodes)
            return try await auth.request(target, as: OAuthTokens.self)
        }
        let api = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(session: Session(transport: api), middleware: [refresh])
        let error = await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        #expect(error?.response?.statusCode == status)
        #expect(authorization.requests.count == 1)
        #expect(api.requests.count == 0)
        #expect(await store.load()?.refreshToken == "r")
    }

    private enum RequestsOfClosure: CaseIterable {
        /// The request closure of its provider answers on another queue.
        case madeElsewhere
        /// The closure gives up before the redirect, and its task goes on.
        case answeredLate
    }

    @Test(arguments: RequestsOfClosure.allCases)
    private func aClosuresRequestsStayAtTheirOrigin(_ requests: RequestsOfClosure) async throws {
        struct GivenUp: Error {}
        let makesElsewhere = requests == .madeElsewhere
        let (sent, isAnswered) = (Gate(), Gate(isOpen: makesElsewhere))
        let authorization = StepwiseTransport { request, exchange in
            if request.url.contains("evil") { return exchange.answer(200, "{}") }
            sent.open()
            _Concurrency.Task {
                try await isAnswered.wait()
                exchange.head(307, ["Location": "https://evil.example/token", "Content-Length": "0"])
                exchange.end()
            }
        }
        let auth = MoyaProvider<API>(
            requestClosure: { endpoint, done in
                guard makesElsewhere else {
                    return MoyaProvider<API>.defaultRequestMapping(for: endpoint, closure: done)
                }
                DispatchQueue.global().async { MoyaProvider<API>.defaultRequestMapping(for: endpoint, closure: done) }
            }, session: Session(transport: authorization))
        let ended = Promise<Int?>()
        let refresh = SessionRefresh(tokens: InMemoryTokenStore(OAuthTokens(refreshToken: "r"))) { refreshToken in
            let request = _Concurrency.Task {
                let response = try? await auth.request(API(method: .post, task: .requestData(Data(refreshToken.utf8))))
                ended.fulfill(response?.statusCode)
            }
            if makesElsewhere { await request.value } else { try await sent.wait() }
            throw GivenUp()
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [refresh])
        await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        isAnswered.open()
        #expect(try await ended.value == 307)
        #expect(authorization.requests.count == 1)
    }

    @Test(arguments: [
        (200, "not JSON"), (200, "{}"), (200, #"{"access_token":"a","expires_in":-5}"#), (200, ""), (500, "{}"),
        (400, #"{"error":"invalid_request"}"#),
    ])
    func answerWithoutATokenFailsTheCallAndKeepsTheSession(_ status: Int, _ body: String) async throws {
        let store = InMemoryTokenStore(OAuthTokens(refreshToken: "r"))
        let api = StepwiseTransport.answering()
        let refresh = SessionRefresh(
            tokens: store, tokenURL: tokenURL, clientID: "app",
            provider: MoyaProvider(session: Session(transport: StepwiseTransport.answering(status, body))))
        let provider = MoyaProvider<API>(session: Session(transport: api), middleware: [refresh])
        await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        #expect(api.requests.count == 0)
        #expect(await store.load()?.refreshToken == "r")
    }
}
