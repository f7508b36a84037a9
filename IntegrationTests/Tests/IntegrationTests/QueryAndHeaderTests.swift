import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// httpbin reports the received request.
@Suite(.needsServers)
struct QueryAndHeaderTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test func aQueryArrivesAsItWasGiven() async throws {
        let call = Call.get(servers.httpbin, "/get", query: ["q": "a b&c=d/e?f", "page": 2, "all": true])
        #expect(try await provider.request(call, as: Echo.self).args == ["q": "a b&c=d/e?f", "page": "2", "all": "1"])
    }

    @Test func anArrayInAQueryRepeatsItsName() async throws {
        let call = Call.get(servers.httpbin, "/get", query: ["tag": ["red", "blue"]])
        #expect(try await provider.request(call, as: Echo.self).args == ["tag[]": ["red", "blue"]])
    }

    @Test func aPathIsEscaped() async throws {
        let call = Call.get(servers.httpbin, "/anything/a b/ø?")
        let url = try await provider.request(call, as: Echo.self).url
        // httpbin shows letters as they are and leaves the rest escaped.
        #expect(url == servers.httpbin.absoluteString + "/anything/a%20b/ø%3F")
    }

    @Test func headersOfTheTargetArrive() async throws {
        let call = Call(
            baseURL: servers.httpbin, path: "/headers", headers: ["X-Colour": "teal", "Accept": "application/json"])
        let headers = try await provider.request(call).map([String: String].self, atKeyPath: "headers")
        #expect(headers["X-Colour"] == "teal")
        #expect(headers["Accept"] == "application/json")
    }

    @Test func theSessionsOwnHeadersArriveOnce() async throws {
        let headers = try await provider.request(.get(servers.httpbin, "/headers"))
            .map([String: String].self, atKeyPath: "headers")
        #expect(headers["Accept-Encoding"] == "br;q=1.0, gzip;q=0.9, deflate;q=0.8")
        #expect(headers["User-Agent"]?.isEmpty == false)
        #expect(headers["Host"] == "127.0.0.1:\(servers.httpbin.port ?? 0)")
    }

    @Test func aTargetsHeaderWinsOverTheSessions() async throws {
        let call = Call(baseURL: servers.httpbin, path: "/user-agent", headers: ["user-agent": "probe/1"])
        #expect(try await provider.request(call).mapString(atKeyPath: "user-agent") == "probe/1")
    }

    @Test func plainGetHasNoExtraFields() async throws {
        // httpbin's Digest sets cookies, which the shared store keeps for every session, from one run to the next.
        let configuration = URLSessionConfiguration.af.default
        configuration.httpCookieStorage = nil
        let provider = MoyaProvider<Call>(
            session: Session(configuration: configuration, startRequestsImmediately: false))
        let headers = try await provider.request(.get(servers.httpbin, "/headers"))
            .map([String: String].self, atKeyPath: "headers")
        let expected: Set = ["Accept", "Accept-Encoding", "Accept-Language", "Host", "User-Agent"]
        #expect(Set(headers.keys).isSubset(of: expected), "\(headers)")
    }

    @Test func responseHeadersAreFoundInAnyCase() async throws {
        let call = Call.get(servers.httpbin, "/response-headers", query: ["X-Colour": "teal"])
        let response = try await provider.request(call)
        #expect(response.response?.value(forHTTPHeaderField: "x-colour") == "teal")
    }
}
