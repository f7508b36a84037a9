import Foundation
import Moya
import Testing

/// httpbin redirects on request; `/anything` reports the method and body with which the client came to it.
@Suite(.needsServers)
struct RedirectTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test(arguments: ["/relative-redirect/3", "/absolute-redirect/3", "/redirect/3"])
    func locationsAreFollowedToTheEnd(path: String) async throws {
        let response = try await provider.request(.get(servers.httpbin, path))
        #expect(response.statusCode == 200)
        #expect(response.response?.url?.path == "/get")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aGetStaysAGet(status: Int) async throws {
        let echo = try await provider.request(redirect(status, method: .get), as: Echo.self)
        #expect(echo.method == "GET")
    }

    @Test(arguments: [301, 302, 303])
    func aPostBecomesAGetWithoutBody(status: Int) async throws {
        let echo = try await provider.request(redirect(status, method: .post), as: Echo.self)
        #expect(echo.method == "GET")
        #expect(echo.data == "")
        #expect(echo.headers["Content-Type"] == nil)
        #expect(echo.headers["Content-Length"].map { $0 == "0" } ?? true)
    }

    @Test(arguments: [307, 308])
    func aPostKeepsMethodAndBody(status: Int) async throws {
        let echo = try await provider.request(redirect(status, method: .post), as: Echo.self)
        #expect(echo.method == "POST")
        #expect(echo.json == Greeting(text: "again", times: 2))
    }

    @Test func aPutIsSentAgainAfterA303AsAGet() async throws {
        #expect(try await provider.request(redirect(303, method: .put), as: Echo.self).method == "GET")
    }

    @Test func anAuthorizationHeaderDoesNotGoToAnotherHost() async throws {
        let port = try #require(servers.httpbin.port)
        var call = Call.get(servers.httpbin, "/redirect-to", query: ["url": "http://localhost:\(port)/headers"])
        call.headers = ["Authorization": "Bearer secret", "X-Colour": "teal"]
        let headers = try await provider.request(call).map([String: String].self, atKeyPath: "headers")
        #expect(headers["Host"] == "localhost:\(port)")
        #expect(headers["X-Colour"] == "teal")
        #expect(headers["Authorization"] == nil)
    }

    @Test func anAuthorizationHeaderIsKeptOnTheSameHost() async throws {
        var call = Call.get(servers.httpbin, "/redirect-to", query: ["url": "/headers"])
        call.headers = ["Authorization": "Bearer secret"]
        let headers = try await provider.request(call).map([String: String].self, atKeyPath: "headers")
        #expect(headers["Authorization"] == "Bearer secret")
    }

    @Test func aRedirectLoopEnds() async throws {
        let call = Call.get(servers.httpbin, "/redirect/100")
        let error = await #expect(throws: MoyaError.self) { try await provider.request(call) }
        guard case .underlying? = error else { throw try #require(error) }
    }

    @Test(arguments: ["file:///etc/hostname", "gopher://127.0.0.1/"])
    func aRedirectNeverLeavesHTTP(location: String) async throws {
        let call = Call.get(servers.httpbin, "/redirect-to", query: ["url": location])
        // Either the 302 itself or an error is correct; the destination's response must never arrive.
        let result = try? await provider.request(call)
        #expect(result.map { $0.statusCode == 302 } ?? true)
    }

    private func redirect(_ status: Int, method: Moya.Method) -> Call {
        let query: [String: any Sendable] = ["url": "/anything", "status_code": status]
        guard method != .get else { return .get(servers.httpbin, "/redirect-to", query: query) }
        return Call(
            baseURL: servers.httpbin, path: "/redirect-to", method: method,
            task: .requestCompositeParameters(
                bodyParameters: ["text": "again", "times": 2], bodyEncoding: JSONEncoding.default,
                urlParameters: query))
    }
}
