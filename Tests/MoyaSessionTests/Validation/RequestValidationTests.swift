import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestValidationTests {
    private func request(_ url: String = "https://example.com/a", method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        return request
    }

    private func reason(_ request: URLRequest) -> SessionError.URLRequestValidationFailureReason? {
        do {
            try RequestValidation.validate(HTTPRequest(request))
            return nil
        } catch SessionError.urlRequestValidationFailed(let reason) {
            return reason
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test(arguments: [
        "http://example.com", "https://example.com:8443/p?q#f", "HTTPS://EXAMPLE.COM/", "http://[::1]:80/",
        "http://user:pw@host/", "https://127.0.0.1?x",
    ]) func urlWithAHostMayBeSent(url: String) throws {
        #expect(reason(try request(url)) == nil)
    }

    @Test func relativeURLWithABaseMayBeSent() throws {
        let url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.com/a/")))
        #expect(reason(URLRequest(url: url)) == nil)
    }

    @Test(arguments: [
        "/path", "example.com/a", "http:///a", "http://", "https:example.com", "http://:80/", "http://u@/",
    ])
    func urlWithoutAHostIsRefused(url: String) {
        let error = #expect(throws: SessionError.self) { try RequestValidation.validateURL(url) }
        guard case .urlRequestValidationFailed(.missingHost(url)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        "http://host:65535/", "http://host:0", "http://host:/", "http://[::1]:65535", "http://[::1]",
        "http://u:99999@host/", "http://host:00080/", "http://host/a:99999",
    ]) func urlWithAPortMayBeSent(url: String) throws { try RequestValidation.validateURL(url) }

    @Test(arguments: [
        "http://host:65536/", "https://host:99999", "http://[::1]:65536?a", "http://u:p@host:99999#a",
        "http://host:-1/", "http://host:8a/", "http://host:18446744073709551696/", "HTTP://host:99999/",
    ]) func urlWithAnInvalidPortIsRefused(url: String) {
        let error = #expect(throws: SessionError.self) { try RequestValidation.validateURL(url) }
        #expect(error?.isInvalidURLError == true)
    }

    @Test func noURLIsRefused() throws {
        var request = try request()
        request.url = nil
        guard case .missingHost("") = reason(request) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: [
        "file:///etc/passwd", "gopher://example.com", "ftp://example.com", "httpx://example.com", "data:x",
    ])
    func otherSchemesAreRefused(url: String) throws {
        guard case .unsupportedScheme(let scheme) = reason(try request(url)) else {
            Issue.record("not refused")
            return
        }
        #expect(url.hasPrefix(scheme + ":"))
    }

    @Test(arguments: ["GET POST", "GE\r\nT", "", "GÉT", "GET:"]) func methodMustBeAToken(method: String) throws {
        var request = try request()
        request.httpMethod = method
        guard request.httpMethod == method else { return }  // Foundation refused it before us.
        guard case .invalidMethod(method) = reason(request) else {
            Issue.record("not refused")
            return
        }
    }

    @Test func unusualMethodMayBeSent() throws {
        #expect(reason(try request(method: "M-SEARCH")) == nil)
    }

    @Test(arguments: ["a b", "a:b", "a\r\nb", "é", "a\0"]) func headerNameMustBeAToken(name: String) throws {
        var request = try request()
        request.allHTTPHeaderFields = [name: "v"]
        guard case .invalidHeaderField(name) = reason(request) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "\u{1}", "a\u{B}", "a\u{1F}b", "\u{7F}"])
    func headerValueMustBeOneLine(value: String) throws {
        var request = try request()
        request.allHTTPHeaderFields = ["X-Name": value]
        guard case .invalidHeaderField("X-Name") = reason(request) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: ["", "tab\tand space", "é日", "\u{85}\u{2028}"]) func otherHeaderValuesMayBeSent(value: String)
        throws
    {
        var request = try request()
        request.allHTTPHeaderFields = ["X-Name": value]
        #expect(reason(request) == nil)
    }

    @Test func bodyOfAGETIsRefused() throws {
        var request = try request()
        request.httpBody = Data("body".utf8)
        guard case .bodyDataInGETRequest(Data("body".utf8)) = reason(request) else {
            Issue.record("not refused")
            return
        }
    }

    @Test func emptyBodyOfAGETMayBeSent() throws {
        var request = try request()
        request.httpBody = Data()
        #expect(reason(request) == nil)
    }

    @Test(arguments: ["POST", "DELETE", "HEAD"]) func bodyOfAnotherMethodMayBeSent(method: String) throws {
        var request = try request(method: method)
        request.httpBody = Data("body".utf8)
        #expect(reason(request) == nil)
    }
}
