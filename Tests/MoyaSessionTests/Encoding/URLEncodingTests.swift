import Foundation
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLEncodingTests {
    private func request(_ method: HTTPMethod = .get, _ url: String = "https://example.com/") throws -> URLRequest {
        try URLRequest(url: url, method: method)
    }

    private func query(_ parameters: Parameters, _ encoding: URLEncoding = .default) throws -> String? {
        let encoded = try encoding.encode(request(), with: parameters)
        return encoded.url?.absoluteString.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
    }

    // MARK: Where parameters go

    @Test(arguments: [nil, [:]] as [Parameters?]) func noParametersAddNoQuery(parameters: Parameters?) throws {
        #expect(
            try URLEncoding.default.encode(request(), with: parameters).url?.absoluteString == "https://example.com/")
    }

    @Test(arguments: [HTTPMethod.get, .head, .delete]) func queryIsForMethodsWithoutABody(method: HTTPMethod) throws {
        let encoded = try URLEncoding.default.encode(request(method), with: ["a": 1])
        #expect(encoded.url?.absoluteString == "https://example.com/?a=1")
        #expect(encoded.httpBody == nil)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .options, .query])
    func bodyIsForTheOtherMethods(method: HTTPMethod) throws {
        let encoded = try URLEncoding.default.encode(request(method), with: ["a": 1, "b": "x y"])
        #expect(encoded.url?.absoluteString == "https://example.com/")
        #expect(encoded.httpBody == Data("a=1&b=x%20y".utf8))
        #expect(
            encoded.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test func queryStringWritesTheQueryOfAPOST() throws {
        let encoded = try URLEncoding.queryString.encode(request(.post), with: ["a": 1])
        #expect(encoded.url?.query == "a=1")
        #expect(encoded.httpBody == nil)
    }

    @Test func httpBodyWritesTheBodyOfAGET() throws {
        let encoded = try URLEncoding.httpBody.encode(request(), with: ["a": 1])
        #expect(encoded.url?.query == nil)
        #expect(encoded.httpBody == Data("a=1".utf8))
    }

    @Test func emptyParametersMakeAnEmptyBody() throws {
        #expect(try URLEncoding.httpBody.encode(request(.post), with: [:]).httpBody == Data())
    }

    @Test func nilParametersLeaveTheBody() throws {
        var old = try request(.post)
        old.httpBody = Data("x".utf8)
        #expect(try URLEncoding.httpBody.encode(old, with: nil).httpBody == Data("x".utf8))
    }

    @Test func ownContentTypeIsKept() throws {
        var old = try request(.post)
        old.setValue("text/x-form", forHTTPHeaderField: "Content-Type")
        let encoded = try URLEncoding.default.encode(old, with: ["a": 1])
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == "text/x-form")
    }

    @Test(arguments: [
        ("https://example.com/?hd=%5B1%5D", "https://example.com/?hd=%5B1%5D&page=0"),
        ("https://example.com?a=b#c?d", "https://example.com?a=b&page=0#c?d"),
        ("https://example.com/#f", "https://example.com/?page=0#f"),
        ("https://example.com/?", "https://example.com/?page=0"),
        ("https://example.com", "https://example.com?page=0"),
        ("https://example.com/%C3%A9?%2B", "https://example.com/%C3%A9?%2B&page=0"),
    ]) func queryJoinsAnExistingOne(url: String, expected: String) throws {
        #expect(try URLEncoding.default.encode(request(.get, url), with: ["page": 0]).url?.absoluteString == expected)
    }

    @Test func bracketsInAnExistingQueryAreEscaped() throws {
        let url = try #require(URL(string: "https://example.com/?hd=[1]"))
        let encoded = try URLEncoding.default.encode(URLRequest(url: url), with: ["page": 0])
        #expect(encoded.url?.absoluteString == "https://example.com/?hd=%5B1%5D&page=0")
    }

    @Test func relativeURLKeepsItsBase() throws {
        let url = try #require(URL(string: "c?x=1", relativeTo: URL(string: "https://example.com/a/b")))
        let encoded = try URLEncoding.default.encode(URLRequest(url: url), with: ["y": 2])
        #expect(encoded.url?.absoluteString == "https://example.com/a/c?x=1&y=2")
    }

    @Test func requestWithoutURLIsAnError() throws {
        var old = try request()
        old.url = nil
        let error = #expect(throws: SessionError.self) { try URLEncoding.default.encode(old, with: ["a": 1]) }
        guard case .parameterEncodingFailed(.missingURL) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func errorOfTheConvertibleIsRethrown() {
        struct Broken: URLRequestConvertible {
            struct Cause: Error {}
            func asURLRequest() throws -> URLRequest { throw Cause() }
        }
        #expect(throws: Broken.Cause.self) { try URLEncoding.default.encode(Broken(), with: ["a": 1]) }
    }

    // MARK: Escaping

    @Test func signsOfTheURLAreEscaped() throws {
        #expect(
            try query(["s": ":#[]@!$&'()*+,;="])
                == "s=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D")
    }

    @Test func questionMarkAndSlashAreNotEscaped() throws {
        #expect(try query(["?/": "/?"]) == "?/=/?")
    }

    @Test func unreservedCharactersAreNotEscaped() {
        let text = "abcxyzABCXYZ0189-._~"
        #expect(URLEncoding.default.escape(text) == text)
    }

    @Test func escapesCharactersNotAllowedInURLs() throws {
        #expect(try query(["s": " \"%<>\\^{}|`"]) == "s=%20%22%25%3C%3E%5C%5E%7B%7D%7C%60")
    }

    @Test func percentSignsAreEscapedAgain() throws {
        #expect(try query(["p%25": "%25"]) == "p%2525=%2525")
    }

    @Test func otherScriptsAreEscapedAsUTF8() throws {
        #expect(try query(["é": "日😃"]) == "%C3%A9=%E6%97%A5%F0%9F%98%83")
    }

    @Test func longTextIsEscaped() {
        let text = String(repeating: "一二三四五六七八九十", count: 2_000)
        #expect(
            URLEncoding.default.escape(text)
                == text.addingPercentEncoding(
                    withAllowedCharacters: CharacterSet.alphanumerics.intersection(.urlQueryAllowed)))
    }
}
