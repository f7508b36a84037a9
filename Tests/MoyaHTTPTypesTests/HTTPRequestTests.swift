#if HTTPTypes
import Foundation
import HTTPTypes
import MoyaHTTPTypes
import MoyaSession
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct HTTPRequestTests {
    private func request(
        _ method: HTTPTypes.HTTPRequest.Method = .get, scheme: String? = "https", authority: String? = "example.com",
        path: String? = "/a?b=c", _ fields: HTTPTypes.HTTPFields = [:]
    ) -> HTTPTypes.HTTPRequest {
        HTTPTypes.HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: path, headerFields: fields)
    }

    @Test(arguments: 0..<20)
    func randomRequestsSurviveARoundTrip(seed: Int) throws {
        var messages = RandomMessage(seed: UInt64(seed))
        for _ in 0..<5_000 {
            let sent = messages.request()
            let theirs = try HTTPTypes.HTTPRequest(sent)
            let back = try MoyaTransport.HTTPRequest(theirs)
            guard back.method == sent.method, back.url == sent.url, back.fields == sent.fields,
                try HTTPTypes.HTTPRequest(back) == theirs
            else {
                Issue.record("\(sent.method) \(sent.url) \(sent.fields) came back as \(back.url) \(back.fields)")
                return
            }
        }
    }

    @Test func partsOfTheURLAreThoseOfTheRequest() throws {
        let made = try HTTPTypes.HTTPRequest(
            MoyaTransport.HTTPRequest(method: "GET", url: "https://example.com:8443/a/b?c=d#e"))
        #expect(made == request(authority: "example.com:8443", path: "/a/b?c=d"))
    }

    @Test(arguments: ["https://example.com", "https://example.com/", "https://example.com#a"])
    func missingPathIsASlash(url: String) throws {
        #expect(try HTTPTypes.HTTPRequest(MoyaTransport.HTTPRequest(method: "GET", url: url)).path == "/")
    }

    @Test(arguments: [(nil, "/"), ("", "/"), ("?a", "/?a")] as [(String?, String)])
    func missingSlashOfAPathIsAdded(path: String?, expected: String) throws {
        #expect(try MoyaTransport.HTTPRequest(request(path: path)).url == "https://example.com" + expected)
    }

    @Test(arguments: ["*", "a", "/a#b", "/a b"])
    func pathThatMakesNoURLIsRefused(path: String) {
        #expect(throws: HTTPTypesConversionError.self) { try MoyaTransport.HTTPRequest(request(path: path)) }
    }

    @Test(arguments: [nil, "", "user@example.com", "a/b", "a?b", "a#b", "a b"] as [String?])
    func invalidAuthorityIsRefused(authority: String?) {
        #expect(throws: HTTPTypesConversionError.self) { try MoyaTransport.HTTPRequest(request(authority: authority)) }
    }

    @Test(arguments: [nil, "ftp", "", "http://"] as [String?])
    func schemeThatIsNotHTTPIsRefused(scheme: String?) {
        #expect(throws: HTTPTypesConversionError.self) { try MoyaTransport.HTTPRequest(request(scheme: scheme)) }
    }

    @Test func connectIsRefused() {
        #expect(throws: HTTPTypesConversionError.invalidMethod("CONNECT")) {
            try MoyaTransport.HTTPRequest(request(.connect))
        }
    }

    @Test func methodThatIsNotATokenIsRefused() {
        #expect(throws: HTTPTypesConversionError.invalidMethod("GET /")) {
            try HTTPTypes.HTTPRequest(MoyaTransport.HTTPRequest(method: "GET /", url: "https://example.com"))
        }
    }

    @Test(arguments: ["example.com", "ftp://example.com", "https://", "https:///a", "https://user@example.com/"])
    func urlThatIsNotAbsoluteHTTPIsRefused(url: String) {
        #expect(throws: HTTPTypesConversionError.self) {
            try HTTPTypes.HTTPRequest(MoyaTransport.HTTPRequest(method: "GET", url: url))
        }
    }

    @Test func errorHidesTheSecretsOfAURL() throws {
        let error = #expect(throws: HTTPTypesConversionError.self) {
            try MoyaTransport.HTTPRequest(request(path: "/a b?access_token=s3cr3t"))
        }
        let text = try #require(error).localizedDescription
        #expect(text.contains("/a b") && !text.contains("s3cr3t"))
    }

    @Test func sessionTakesTheRequest() throws {
        var fields: HTTPTypes.HTTPFields = [.accept: "text/plain"]
        fields.append(HTTPTypes.HTTPField(name: .accept, value: "text/html"))
        let made = try request(.put, fields).asURLRequest()
        #expect(made.httpMethod == "PUT")
        #expect(made.url?.absoluteString == "https://example.com/a?b=c")
        #expect(made.value(forHTTPHeaderField: "Accept") == "text/plain, text/html")
    }
}
#endif
