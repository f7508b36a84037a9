import Foundation
import Moya
import Testing

/// httpbin reports the received request.
@Suite(.needsServers)
struct HTTPBinMethodTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test func getBringsTheBody() async throws {
        let response = try await provider.request(.get(servers.httpbin, "/get"))
        #expect(response.statusCode == 200)
        #expect(try response.map(Echo.self).url == servers.httpbin.absoluteString + "/get")
    }

    @Test func responseHasRequestAndHeaders() async throws {
        let response = try await provider.request(.get(servers.httpbin, "/get"))
        #expect(response.request?.url?.path == "/get")
        #expect(response.response?.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func aResponseMapsToATypeInOneCall() async throws {
        let echo = try await provider.request(.get(servers.httpbin, "/get"), as: Echo.self)
        #expect(echo.args.isEmpty)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func theMethodIsSentAsItIsSpelled(name: String) async throws {
        let call = Call(baseURL: servers.httpbin, path: "/anything", method: Moya.Method(rawValue: name))
        #expect(try await provider.request(call, as: Echo.self).method == name)
    }

    @Test func headBringsHeadersAndNoBody() async throws {
        let response = try await provider.request(Call(baseURL: servers.httpbin, path: "/get", method: .head))
        #expect(response.statusCode == 200)
        #expect(response.data.isEmpty)
        #expect(response.response?.value(forHTTPHeaderField: "Content-Length") != nil)
    }

    @Test func postSendsAForm() async throws {
        let call = Call(
            baseURL: servers.httpbin, path: "/post", method: .post,
            task: .requestParameters(
                parameters: ["name": "Ole & Lise", "sum": "1+1=2", "letters": "æøå"], encoding: URLEncoding.httpBody))
        let echo = try await provider.request(call, as: Echo.self)
        #expect(echo.form == ["name": "Ole & Lise", "sum": "1+1=2", "letters": "æøå"])
        #expect(echo.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test func postSendsJSON() async throws {
        let greeting = Greeting(text: "hello", times: 3)
        let call = Call(
            baseURL: servers.httpbin, path: "/post", method: .post, task: .requestJSONEncodable(greeting))
        let echo = try await provider.request(call, as: Echo.self)
        #expect(echo.json == greeting)
        #expect(echo.headers["Content-Type"] == "application/json")
    }

    @Test func postSendsJSONParameters() async throws {
        let call = Call(
            baseURL: servers.httpbin, path: "/post", method: .post,
            task: .requestParameters(parameters: ["text": "hello", "times": 3], encoding: JSONEncoding.default))
        #expect(try await provider.request(call, as: Echo.self).json == Greeting(text: "hello", times: 3))
    }

    @Test(arguments: [("PUT", "/put"), ("PATCH", "/patch"), ("DELETE", "/delete")])
    func otherMethodsCarryABody(name: String, path: String) async throws {
        let call = Call(
            baseURL: servers.httpbin, path: path, method: Moya.Method(rawValue: name),
            task: .requestData(Data("plain words".utf8)), headers: ["Content-Type": "text/plain"])
        let echo = try await provider.request(call, as: Echo.self)
        #expect(echo.data == "plain words")
        #expect(echo.headers["Content-Length"] == "11")
    }

    @Test func aBodyAndAQueryTravelTogether() async throws {
        let call = Call(
            baseURL: servers.httpbin, path: "/post", method: .post,
            task: .requestCompositeParameters(
                bodyParameters: ["text": "hello", "times": 1], bodyEncoding: JSONEncoding.default,
                urlParameters: ["page": 2]))
        let echo = try await provider.request(call, as: Echo.self)
        #expect(echo.json == Greeting(text: "hello", times: 1))
        #expect(echo.args == ["page": "2"])
    }
}
