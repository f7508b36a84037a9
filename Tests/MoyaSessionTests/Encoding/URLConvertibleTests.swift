import Foundation
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLConvertibleTests {
    static let text = "https://example.com/a?b=c"

    @Test func textURLAndComponentsAreURLs() throws {
        let url = try #require(URL(string: Self.text))
        let components = try #require(URLComponents(string: Self.text))
        let convertibles: [any URLConvertible] = [Self.text, url, components]
        for convertible in convertibles { #expect(try convertible.asURL() == url) }
    }

    @Test(arguments: ["", "https://example.com/a b", "http://[::1", "https://example.com/é\u{0}"])
    func textThatIsNoURLIsAnErrorThatHoldsIt(text: String) {
        let error = #expect(throws: SessionError.self) { try text.asURL() }
        #expect(error?.isInvalidURLError == true)
        #expect(error?.urlConvertible as? String == text)
    }

    @Test func componentsThatMakeNoURLAreAnError() {
        var components = URLComponents()
        components.host = "example.com"
        components.path = "relative"
        let broken = components
        #expect(throws: SessionError.self) { try broken.asURL() }
    }

    @Test func requestIsMadeOfURLMethodAndHeaders() throws {
        let request = try URLRequest(url: Self.text, method: .put, headers: ["X-A": "1"])
        #expect(request.url?.absoluteString == Self.text)
        #expect(request.httpMethod == "PUT")
        #expect(request.headers == ["X-A": "1"])
        #expect(try URLRequest(url: Self.text, method: .get).headers.isEmpty)
    }

    @Test func requestOfNoURLIsAnError() {
        #expect(throws: SessionError.self) { try URLRequest(url: "", method: .get) }
    }

    @Test func methodOfARequestIsReadAndSet() throws {
        var request = try URLRequest(url: Self.text, method: .post)
        #expect(request.method == .post)
        request.method = HTTPMethod(rawValue: "PROPFIND")
        #expect(request.httpMethod == "PROPFIND")
    }

    @Test func requestIsItsOwnConvertible() throws {
        let request = try URLRequest(url: Self.text, method: .head)
        #expect(try request.asURLRequest().httpMethod == "HEAD")
        #expect(request.urlRequest?.url == request.url)
    }

    @Test func convertibleThatFailsHasNoRequest() {
        struct Broken: URLRequestConvertible {
            func asURLRequest() throws -> URLRequest { throw CocoaError(.featureUnsupported) }
        }
        #expect(Broken().urlRequest == nil)
    }
}
