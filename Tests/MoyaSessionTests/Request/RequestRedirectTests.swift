import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestRedirectTests {
    @Test func aRedirectIsFollowed() async {
        let transport = StubbedTransport(.response(302, [("Location", "/next")], "moved"), .response(200, [], "there"))
        let session = Session.over(transport)
        let outcome = await session.request(URLRequest.to("http://a.example/first")).outcome()
        #expect(transport.requests.map(\.url) == ["http://a.example/first", "http://a.example/next"])
        #expect(outcome.data == Data("there".utf8))
        #expect(outcome.url?.absoluteString == "http://a.example/next")
    }

    @Test(arguments: [
        ("https://a.example/", "myapp://callback?code=1"), ("https://a.example/", "http://a.example/"),
    ])
    func aRedirectThatCannotBeFollowedIsDeliveredIfNoneIsFollowed(url: String, location: String) async {
        let transport = StubbedTransport(.response(302, [("Location", location)], "moved"))
        let session = Session.over(transport)
        let outcome = await session.request(URLRequest.to(url)).redirect(using: .doNotFollow).outcome()
        #expect(outcome.error == nil)
        #expect(outcome.head?.value(for: "location") == location)
        #expect(outcome.data == Data("moved".utf8))
    }

    @Test(arguments: [307, 308])
    func methodAndBodyAreKept(status: Int) async {
        let transport = StubbedTransport(.response(status, [("Location", "/next")]), .response(200))
        let first = URLRequest.to("http://a.example/", method: "POST", body: "abc")
        let session = Session.over(transport)
        _ = await session.request(first).outcome()
        #expect(transport.requests[1].method == "POST")
        guard case .data(let data) = transport.requests[1].body else {
            Issue.record("no body")
            return
        }
        #expect(data == Data("abc".utf8))
    }

    @Test(arguments: [301, 302, 303])
    func aPOSTBecomesAGETWithoutBody(status: Int) async {
        let transport = StubbedTransport(.response(status, [("Location", "/next")]), .response(200))
        let first = URLRequest.to("http://a.example/", method: "POST", body: "abc")
        let session = Session.over(transport)
        _ = await session.request(first).outcome()
        #expect(transport.requests[1].method == "GET")
        guard case .none = transport.requests[1].body else {
            Issue.record("a body")
            return
        }
    }

    @Test func anUploadKeepsItsBodyOn307() async {
        let transport = StubbedTransport(.response(307, [("Location", "/next")]), .response(200))
        let session = Session.over(transport)
        let upload = session.upload(
            Data("abc".utf8), with: URLRequest.to("http://a.example/", method: "PUT"))
        _ = await upload.outcome()
        guard case .data(let data) = transport.requests[1].body else {
            Issue.record("no body")
            return
        }
        #expect(data == Data("abc".utf8))
    }

    @Test func secretsStayWithTheirOrigin() async {
        let transport = StubbedTransport(.response(302, [("Location", "http://b.example/")]), .response(200))
        let session = Session.over(transport, headers: ["Authorization": "Bearer session", "X-Plain": "kept"])
        var first = URLRequest.to("http://a.example/")
        first.setValue("s=1", forHTTPHeaderField: "Cookie")
        _ = await session.request(first).outcome()
        #expect(transport.requests[0].fields.map(\.name).sorted() == ["Authorization", "Cookie", "X-Plain"])
        #expect(transport.requests[1].fields.map(\.name) == ["X-Plain"])
    }

    /// A handler that follows every redirect changes nothing.
    @Test(arguments: [nil, Redirector.follow])
    func secretsOfTheSessionDoNotComeBackWithARedirect(handler: Redirector?) async {
        let transport = StubbedTransport(
            .response(302, [("Location", "http://b.example/")]), .response(302, [("Location", "http://a.example/two")]),
            .response(200))
        let session = Session.over(transport, headers: ["Authorization": "Bearer session", "X-Plain": "kept"])
        let request = session.request(URLRequest.to("http://a.example/"))
        if let handler { request.redirect(using: handler) }
        _ = await request.outcome()
        #expect(transport.requests.map { $0.fields.contains("authorization") } == [true, false, false])
    }

    @Test(arguments: [("/next", true), ("/", true), ("http://b.example/", false)])
    func aHandlerThatFollowsKeepsTheAnswerToAChallengeAtItsOrigin(location: String, isKept: Bool) async {
        let transport = StubbedTransport(
            .response(401, [("WWW-Authenticate", "Basic realm=\"r\"")]), .response(302, [("Location", location)]),
            .response(200))
        let session = Session.over(transport)
        _ = await session.request(URLRequest.to("http://a.example/")).authenticate(username: "u", password: "p")
            .redirect(using: .follow).outcome()
        #expect(transport.requests.count == 3)
        #expect(transport.requests.last?.fields.contains("authorization") == isKept)
    }

    @Test func aStreamIsOneAfterARedirectThatItsHandlerFollows() {
        let transport = StubbedTransport(.response(302, [("Location", "/next")]), .response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/")).redirect(using: .follow)
        request.streamResponse()
        request.resume()
        #expect(transport.requests.map(\.isStreamed) == [true, true])
        #expect(transport.requests.map(\.sharesExchange) == [false, false])
    }

    @Test func aRedirectFromHTTPSToHTTPIsRefusedWithItsResponse() async {
        let transport = StubbedTransport(.response(302, [("Location", "http://a.example/")]))
        let session = Session.over(transport)
        let outcome = await session.request(URLRequest.to("https://a.example/")).outcome()
        #expect(transport.requests.count == 1)
        #expect(outcome.error != nil)
        #expect(outcome.head?.status == 302)
    }

    @Test func aLoopEnds() async {
        let transport = StubbedTransport(.response(302, [("Location", "http://a.example/")]))
        let session = Session.over(transport)
        let outcome = await session.request(URLRequest.to("http://a.example/")).outcome()
        #expect((outcome.error?.underlyingError as? URLError)?.code == .httpTooManyRedirects)
        #expect(transport.requests.count < 25)
    }
}
