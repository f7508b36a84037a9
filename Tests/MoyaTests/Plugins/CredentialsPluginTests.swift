import Foundation
import Moya
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CredentialsPluginTests {
    private static func credential() -> URLCredential {
        URLCredential(user: "user", password: "word", persistence: .none)
    }

    @Test(arguments: [false, true]) func closureIsCalledForAStubWithAnyResult(_ hasCredential: Bool) async throws {
        let asked = Recorder<String>()
        let plugin = CredentialsPlugin { target in
            asked.append("\(target)")
            return hasCredential ? Self.credential() : nil
        }
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        _ = try await provider.request(.zen)
        #expect(asked.values == ["zen"])
    }

    @Test func requestGetsTheCredential() {
        let request = FakeRequest()
        CredentialsPlugin { _ in Self.credential() }.willSend(request, target: GitHub.zen)
        #expect(request.credentials.values == ["user:word"])
    }

    @Test func withoutACredentialTheRequestGetsNone() {
        let request = FakeRequest()
        CredentialsPlugin { _ in nil }.willSend(request, target: GitHub.zen)
        #expect(request.credentials.values == [])
    }

    @Test func challengeIsAnsweredWithTheCredential() async throws {
        let transport = StepwiseTransport { request, exchange in
            if request.fields.contains(where: { $0.name == "Authorization" }) { return exchange.answer() }
            exchange.head(401, ["WWW-Authenticate": #"Basic realm="here""#])
            exchange.end()
        }
        let provider = MoyaProvider<GitHub>(
            session: Session(transport: transport), plugins: [CredentialsPlugin { _ in Self.credential() }])
        #expect(try await provider.request(.zen).mapString() == "answer")
    }

    @Test func challengeWithoutACredentialIsTheResponse() async throws {
        let transport = StepwiseTransport { _, exchange in
            exchange.head(401, ["WWW-Authenticate": #"Basic realm="here""#])
            exchange.end()
        }
        let provider = MoyaProvider<GitHub>(
            session: Session(transport: transport), plugins: [CredentialsPlugin { _ in nil }])
        #expect(try await provider.request(.zen).statusCode == 401)
    }
}
