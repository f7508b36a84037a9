import Foundation
import Moya
import MoyaTesting
import Testing

/// A public client of OAuth 2 (RFC 6749 section 6).
@Suite struct RefreshGrantTests {
    private let tokenURL = URL(string: "https://auth.example.com/token")!

    private func form(of request: TransportRequest) -> String? {
        if case .data(let data) = request.body { String(decoding: data, as: UTF8.self) } else { nil }
    }

    @Test func requestIsTheOneOfTheRFC() async throws {
        let transport = ScriptedTransport.answering(200, #"{"access_token":"a"}"#)
        let provider = MoyaProvider<RefreshGrant>(session: Session(transport: transport))
        let grant = RefreshGrant(tokenURL: tokenURL, clientID: "my app", refreshToken: "a+b/c=&d", scope: "read write")
        _ = try await provider.request(grant, as: Tokens.self)
        let request = try #require(transport.requests.values.first)
        #expect(request.method == "POST")
        #expect(request.url == "https://auth.example.com/token")
        #expect(
            form(of: request)
                == "client_id=my%20app&grant_type=refresh_token&refresh_token=a%2Bb/c%3D%26d&scope=read%20write")
    }

    @Test func layerOfAPublicClientNeedsNoClosure() async throws {
        let authorization = ScriptedTransport.answering(200, #"{"access_token":"new","expires_in":60}"#)
        let api = ScriptedTransport.answering()
        let refresh = SessionRefresh(
            tokens: InMemoryTokenStore(Tokens(refreshToken: "r")), tokenURL: tokenURL, clientID: "app",
            provider: MoyaProvider(session: Session(transport: authorization)))
        _ = try await MoyaProvider<API>(session: Session(transport: api), layers: [refresh]).request(API())
        #expect(api.requests.values[0].fields.contains { $0.value == "Bearer new" })
        #expect(form(of: authorization.requests.values[0]) == "client_id=app&grant_type=refresh_token&refresh_token=r")
    }

    @Test(arguments: [
        (200, "not JSON"), (200, "{}"), (200, #"{"access_token":"a","expires_in":-5}"#), (200, ""), (500, "{}"),
        (400, #"{"error":"invalid_request"}"#),
    ])
    func answerWithoutATokenFailsTheCallAndKeepsTheSession(_ status: Int, _ body: String) async throws {
        let store = InMemoryTokenStore(Tokens(refreshToken: "r"))
        let api = ScriptedTransport.answering()
        let refresh = SessionRefresh(
            tokens: store, tokenURL: tokenURL, clientID: "app",
            provider: MoyaProvider(session: Session(transport: ScriptedTransport.answering(status, body))))
        let provider = MoyaProvider<API>(session: Session(transport: api), layers: [refresh])
        await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        #expect(api.requests.count == 0)
        #expect(await store.load()?.refreshToken == "r")
    }
}
