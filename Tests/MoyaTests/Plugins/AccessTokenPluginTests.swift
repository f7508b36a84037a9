import Foundation
import Moya
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct AccessTokenPluginTests {
    private let plugin = AccessTokenPlugin { _ in "eyeAm.AJsOn.weBTokEn" }
    private let request = URLRequest(url: URL(string: "https://api.example.com")!)

    @Test func targetThatIsNotAuthorizableGetsNoHeader() {
        #expect((plugin.prepare(request, target: GitHub.zen).allHTTPHeaderFields ?? [:]).isEmpty)
    }

    @Test func targetWithoutATypeGetsNoHeader() {
        let prepared = plugin.prepare(request, target: AuthorizedAPI(authorizationType: nil))
        #expect((prepared.allHTTPHeaderFields ?? [:]).isEmpty)
    }

    @Test(arguments: [
        (AuthorizationType.basic, "Basic"), (.bearer, "Bearer"),
        (.custom("CustomAuthorizationHeader"), "CustomAuthorizationHeader"),
    ])
    func typeGivesExactlyOneHeader(_ type: AuthorizationType, _ word: String) {
        let prepared = plugin.prepare(request, target: AuthorizedAPI(authorizationType: type))
        #expect(prepared.allHTTPHeaderFields == ["Authorization": word + " eyeAm.AJsOn.weBTokEn"])
    }

    @Test func tokenClosureIsNotCalledWithoutAType() {
        let asked = Recorder<String>()
        let plugin = AccessTokenPlugin { target in
            asked.append("\(target)")
            return ""
        }
        _ = plugin.prepare(request, target: AuthorizedAPI(authorizationType: nil))
        _ = plugin.prepare(request, target: GitHub.zen)
        #expect(asked.values.isEmpty)
    }

    @Test func tokenClosureGetsTheTargetInsideAMultiTarget() {
        let asked = Recorder<any TargetType>()
        let plugin = AccessTokenPlugin { target in
            asked.append(target)
            return "token"
        }
        let prepared = plugin.prepare(request, target: MultiTarget(AuthorizedAPI(authorizationType: .bearer)))
        #expect(prepared.value(forHTTPHeaderField: "Authorization") == "Bearer token")
        #expect(asked.values.first is AuthorizedAPI)
    }

    @Test func existingValueIsKeptBeforeAComma() {
        var request = request
        request.setValue("Basic abc", forHTTPHeaderField: "Authorization")
        let prepared = plugin.prepare(request, target: AuthorizedAPI(authorizationType: .bearer))
        #expect(prepared.value(forHTTPHeaderField: "Authorization") == "Basic abc,Bearer eyeAm.AJsOn.weBTokEn")
    }

    @Test func headerIsInTheRequestOfAStubbedResponse() async throws {
        let provider = MoyaProvider<AuthorizedAPI>(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [AccessTokenPlugin { _ in "token" }])
        let response = try await provider.request(AuthorizedAPI(authorizationType: .bearer))
        #expect(response.request?.value(forHTTPHeaderField: "Authorization") == "Bearer token")
    }

    /// Foundation on Linux leaves such a field out, and the request would go without a token.
    @Test(arguments: ["token\n", "to\rken", "\0token", "to\r\nX-Injected: 1"])
    func tokenWithALineBreakOrNULIsRefusedByName(_ token: String) async {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<AuthorizedAPI>(
            session: Session(transport: transport), plugins: [AccessTokenPlugin { _ in token }])
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(AuthorizedAPI(authorizationType: .bearer))
        }
        #expect("\(error as Any)".contains("Authorization"))
        #expect(transport.requests.values.isEmpty)
    }

    @Test func headerIsSent() async throws {
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<AuthorizedAPI>(
            session: Session(transport: transport), plugins: [AccessTokenPlugin { _ in "token" }])
        _ = try await provider.request(AuthorizedAPI(authorizationType: .bearer))
        let sent = transport.requests.values.first?.fields.first { $0.name == "Authorization" }
        #expect(sent?.value == "Bearer token")
    }
}
