import Foundation
import Moya
import Testing

/// httpbin's `/basic-auth/user/password` answers 401 with a challenge until it is given both.
@Suite(.needsServers)
struct AuthenticationTests {
    let servers: Servers
    let call: Call

    init() throws {
        servers = try #require(Servers.running)
        call = .get(servers.httpbin, "/basic-auth/ole/secret")
    }

    @Test func theRightCredentialIsAccepted() async throws {
        let provider = provider(user: "ole", password: "secret")
        let response = try await provider.request(call)
        #expect(response.statusCode == 200)
        #expect(try response.mapString(atKeyPath: "user") == "ole")
    }

    @Test func theWrongCredentialGetsThe401() async throws {
        #expect(try await provider(user: "ole", password: "wrong").request(call).statusCode == 401)
    }

    @Test func noCredentialGetsThe401() async throws {
        #expect(try await MoyaProvider<Call>().request(call).statusCode == 401)
    }

    @Test func aWrongCredentialIsAnErrorWhereStatusCodesAreChecked() async throws {
        var call = call
        call.validationType = .successCodes
        let provider = provider(user: "ole", password: "wrong")
        let error = await #expect(throws: MoyaError.self) { try await provider.request(call) }
        #expect(error?.response?.statusCode == 401)
    }

    @Test(arguments: ["MD5", "SHA-256"]) func aDigestChallengeIsAnswered(algorithm: String) async throws {
        let call = Call.get(servers.httpbin, "/digest-auth/auth/ole/secret/\(algorithm)")
        #expect(try await provider(user: "ole", password: "secret").request(call).statusCode == 200)
    }

    @Test func theWrongPasswordForDigestGetsThe401() async throws {
        let call = Call.get(servers.httpbin, "/digest-auth/auth/ole/secret")
        #expect(try await provider(user: "ole", password: "wrong").request(call).statusCode == 401)
    }

    @Test func aCredentialForAPostKeepsItsBody() async throws {
        // httpbin challenges only GET: the credential must not disturb a call that is never challenged.
        let provider = provider(user: "ole", password: "secret")
        let post = Call(
            baseURL: servers.httpbin, path: "/post", method: .post,
            task: .requestJSONEncodable(Greeting(text: "hello", times: 1)))
        #expect(try await provider.request(post, as: Echo.self).json == Greeting(text: "hello", times: 1))
    }

    @Test func anAccessTokenTravelsAsBearer() async throws {
        let provider = MoyaProvider<Authorized>(plugins: [AccessTokenPlugin { _ in "t0ken" }])
        let response = try await provider.request(Authorized(baseURL: servers.httpbin))
        #expect(response.statusCode == 200)
        #expect(try response.mapString(atKeyPath: "token") == "t0ken")
    }

    private func provider(user: String, password: String) -> MoyaProvider<Call> {
        MoyaProvider<Call>(plugins: [
            CredentialsPlugin { _ in URLCredential(user: user, password: password, persistence: .none) }
        ])
    }

    private struct Authorized: TargetType, AccessTokenAuthorizable {
        let baseURL: URL
        var path: String { "/bearer" }
        var method: Moya.Method { .get }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
        var authorizationType: AuthorizationType? { .bearer }
    }
}
