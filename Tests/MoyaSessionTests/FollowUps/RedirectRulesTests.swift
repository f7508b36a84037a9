import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RedirectRulesTests {
    private func request(
        _ url: String = "https://a.example/one", method: String = "GET", headers: [String: String] = [:],
        body: String? = nil
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    private func followed(
        _ request: URLRequest, status: Int = 302, location: String? = "/two"
    ) -> (request: URLRequest, keepsBody: Bool)? {
        var rules = RedirectRules()
        guard case .follow(let next, let keepsBody) = rules.decide(after: request, status: status, location: location)
        else { return nil }
        return (next, keepsBody)
    }

    private func refusal(from url: String, to location: String) throws -> RedirectRules.Refusal? {
        var rules = RedirectRules()
        guard case .refuse(let reason) = rules.decide(after: try request(url), status: 302, location: location)
        else { return nil }
        return reason
    }

    private func isDelivered(status: Int, location: String?) throws -> Bool {
        var rules = RedirectRules()
        if case .deliver = rules.decide(after: try request(), status: status, location: location) { return true }
        return false
    }

    // MARK: What is a redirect

    @Test(arguments: [200, 201, 300, 304, 305, 306, 399, 400, 401, 500]) func otherStatusIsDelivered(status: Int) throws
    {
        #expect(try isDelivered(status: status, location: "/two"))
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func redirectIsFollowed(status: Int) throws {
        #expect(followed(try request(), status: status)?.request.url?.absoluteString == "https://a.example/two")
    }

    @Test(arguments: [nil, "", "https://[::1", "https:///no-host", "https:relative"] as [String?])
    func redirectWithoutALocationIsDelivered(location: String?) throws {
        #expect(try isDelivered(status: 302, location: location))
    }

    // MARK: Where it leads

    static let locations: [(String, String, String)] = [
        ("https://a.example/b/c?d", "e", "https://a.example/b/e"),
        ("https://a.example/b/c?d", "/e", "https://a.example/e"),
        ("https://a.example/b/c?d", "../e?f", "https://a.example/e?f"),
        ("https://a.example/b/c?d", "?e", "https://a.example/b/c?e"),
        ("https://a.example/b", "//b.example/c", "https://b.example/c"),
        ("http://a.example/b", "//b.example/c", "http://b.example/c"),
        ("http://a.example/b", "https://a.example/b", "https://a.example/b"),
        ("https://a.example/b", "HTTPS://b.example/", "HTTPS://b.example/"),
        ("https://a.example/b", "/c d", "https://a.example/c%20d"),
        ("https://a.example/b", "/é", "https://a.example/%C3%A9"),
        ("https://a.example/b", "/c d%2Fe", "https://a.example/c%20d%2Fe"),
        ("https://a.example/b", "?c[d]=%20&e=f|g", "https://a.example/b?c%5Bd%5D=%20&e=f%7Cg"),
        ("https://a.example/b", "/é?%C3%A9", "https://a.example/%C3%A9?%C3%A9"),
        ("https://a.example/b", "/100%/%20", "https://a.example/100%25/%20"),
        ("https://a.example/b", "?c=http://[d]/%20", "https://a.example/b?c=http://%5Bd%5D/%20"),
        ("https://a.example/b", "//[::1]/c[d]%20", "https://[::1]/c%5Bd%5D%20"),
        ("https://a.example/b", "https://b\u{FC}cher.example/c[d]%20", "https://xn--bcher-kva.example/c%5Bd%5D%20"),
        ("https://a.example/b#f", "/c", "https://a.example/c#f"),
        ("https://a.example/b#f", "/c#g", "https://a.example/c#g"),
        ("https://a.example/b#f%20f", "/c", "https://a.example/c#f%20f"),
        ("https://a.example/b", "/c#g", "https://a.example/c#g"),
        ("https://u:p@a.example/b", "/c", "https://u:p@a.example/c"),
        ("https://a.example/b", "https://u:p@b.example/c", "https://b.example/c"),
    ]

    @Test(arguments: locations) func locationIsResolved(from url: String, location: String, expected: String) throws {
        #expect(followed(try request(url), location: location)?.request.url?.absoluteString == expected)
    }

    // MARK: Methods and bodies

    static let methods: [(Int, String, String, Bool)] = [
        (301, "GET", "GET", true), (301, "HEAD", "HEAD", true), (301, "POST", "GET", false), (301, "PUT", "PUT", true),
        (302, "GET", "GET", true), (302, "HEAD", "HEAD", true), (302, "POST", "GET", false),
        (302, "PATCH", "PATCH", true), (302, "DELETE", "DELETE", true),
        (303, "GET", "GET", true), (303, "HEAD", "HEAD", true), (303, "POST", "GET", false), (303, "PUT", "GET", false),
        (303, "DELETE", "GET", false),
        (307, "POST", "POST", true), (307, "PUT", "PUT", true), (307, "GET", "GET", true),
        (308, "POST", "POST", true), (308, "DELETE", "DELETE", true),
        (301, "QUERY", "QUERY", true), (302, "QUERY", "QUERY", true), (303, "QUERY", "GET", false),
        (307, "QUERY", "QUERY", true), (308, "QUERY", "QUERY", true),
    ]

    @Test(arguments: methods.indices) func methodChangesByStatus(index: Int) throws {
        let (status, method, expected, keepsBody) = Self.methods[index]
        let next = try #require(followed(try request(method: method), status: status))
        #expect(next.request.httpMethod == expected)
        #expect(next.keepsBody == keepsBody)
    }

    @Test func droppedBodyDropsItsFields() throws {
        let post = try request(
            method: "POST",
            headers: ["Content-Type": "a/b", "content-length": "4", "Content-Encoding": "gzip", "X-Own": "1"],
            body: "body")
        let next = try #require(followed(post, status: 303)).request
        #expect(next.httpBody == nil)
        #expect(next.allHTTPHeaderFields == ["X-Own": "1"])
    }

    @Test(arguments: [301, 302, 307, 308]) func queryKeepsItsBodyAndFields(status: Int) throws {
        let query = try request(method: "QUERY", headers: ["Content-Type": "a/b"], body: "body")
        let next = try #require(followed(query, status: status)).request
        #expect(next.httpBody == Data("body".utf8))
        #expect(next.value(forHTTPHeaderField: "Content-Type") == "a/b")
    }

    @Test(arguments: [307, 308]) func keptBodyKeepsItsFields(status: Int) throws {
        let post = try request(method: "POST", headers: ["Content-Type": "a/b"], body: "body")
        let next = try #require(followed(post, status: status)).request
        #expect(next.httpBody == Data("body".utf8))
        #expect(next.value(forHTTPHeaderField: "Content-Type") == "a/b")
    }

    // MARK: Secrets

    static let secrets = [
        "Authorization": "Bearer t", "Cookie": "a=b", "Proxy-Authorization": "Basic x", "X-Own": "1",
        "DPoP": "d", "X-Pin": "p", "X-Hmac": "h", "X-OAuth": "o", "X-Api-Key": "k", "api-key": "k", "X-Auth-Token": "t",
        "X-Access-Token": "t", "X-Amz-Security-Token": "t",
        "X-Goog-Api-Key": "k", "Ocp-Apim-Subscription-Key": "k", "PRIVATE-TOKEN": "t", "X-CSRF-Token": "t",
        "X-Shopify-Access-Token": "t", "X-Functions-Key": "k", "X-Session-Id": "s", "X-User-Password": "p",
        "Client-Secret": "s", "X-Amz-Signature": "s", "X-Vault-Token": "t", "ApiKey": "k", "X-AuthToken": "t",
        "X-AccessKey": "k", "X-Token2": "t", "X-Keyboard": "2", "X-Monkey": "3", "Accept-Language": "de",
        "Author": "me",
        "Idempotency-Key": "5", "X-Keywords": "6",
    ]

    static let harmless = [
        "X-Own": "1", "X-Keyboard": "2", "X-Monkey": "3", "Accept-Language": "de", "Author": "me",
        "Idempotency-Key": "5", "X-Keywords": "6",
    ]

    @Test(arguments: ["https://b.example/", "https://a.example:8443/", "//sub.a.example/"])
    func secretsStayWithTheirOrigin(location: String) throws {
        let next = try #require(followed(try request(headers: Self.secrets), location: location)).request
        #expect(next.allHTTPHeaderFields == Self.harmless)
    }

    @Test func secretsStayWithTheirScheme() throws {
        let old = try request("http://a.example/", headers: Self.secrets)
        let next = try #require(followed(old, location: "https://a.example/")).request
        #expect(next.allHTTPHeaderFields == Self.harmless)
    }

    @Test(arguments: ["/two", "https://A.EXAMPLE/", "https://a.example:443/"])
    func secretsGoToTheSameOrigin(location: String) throws {
        let next = try #require(followed(try request(headers: Self.secrets), location: location)).request
        #expect(next.allHTTPHeaderFields == Self.secrets)
    }

    @Test(arguments: ["/two", "https://b\u{FC}cher.example/", "https://xn--bcher-kva.example/"])
    func secretsGoToTheSameInternationalizedHost(location: String) throws {
        let old = try request("https://b\u{FC}cher.example/", headers: Self.secrets)
        let next = try #require(followed(old, location: location)).request
        #expect(next.allHTTPHeaderFields == Self.secrets)
    }

    @Test func secretsStayWithAHostThatIsNoText() throws {
        let old = try request("https://a%FD.example/", headers: Self.secrets)
        let next = try #require(followed(old, location: "https://b%FD.example/")).request
        #expect(next.allHTTPHeaderFields == Self.harmless)
    }

    @Test func hostFieldStaysWithItsOrigin() throws {
        let old = try request(headers: ["Host": "virtual.example"])
        #expect(followed(old, location: "//b.example/")?.request.value(forHTTPHeaderField: "Host") == nil)
    }

    // MARK: Refusals

    @Test(arguments: ["http://a.example/", "http://b.example/", "HTTP://a.example/"])
    func redirectToPlainHTTPIsRefused(location: String) throws {
        #expect(try refusal(from: "https://a.example/", to: location) == .insecure(try #require(URL(string: location))))
    }

    @Test(arguments: [
        "ftp://a.example/", "file:///etc/passwd", "mailto:a@b.example", "gopher://a.example/x", "data:,x",
    ])
    func redirectToAnotherSchemeIsRefused(location: String) throws {
        let url = try #require(URL(string: location))
        #expect(try refusal(from: "http://a.example/", to: location) == .unsupportedScheme(url))
    }

    @Test func redirectIntoAUnixSocketIsRefusedFromAnotherOrigin() throws {
        for (url, location, isRefused) in [
            ("http://a.example/", "http://localhost/", true), ("http://localhost:81/", "http://LOCALHOST.:80/", true),
            ("https://localhost/", "http://localhost/", true), ("http://localhost/", "http://localhost/next", false),
            ("http://localhost/", "http://a.example/", false), ("http://a.example/", "https://localhost/", false),
            // A host that only the transport might read.
            ("http://a.example/", "http://a..example/", true), ("http://a.example/", "/next", false),
        ] {
            var rules = RedirectRules()
            rules.unixSocketOrigins = [try #require(HTTPOrigin(setting: "http://localhost"))]
            let decision = rules.decide(after: try request(url), status: 302, location: location)
            let wasRefused = if case .refuse = decision { true } else { false }
            #expect(wasRefused == isRefused, "\(url) to \(location)")
        }
    }

    @Test func hopAfterTheTwentiethIsRefused() throws {
        var rules = RedirectRules()
        var current = try request()
        for hop in 1...RedirectRules.maximumHops {
            guard case .follow(let next, _) = rules.decide(after: current, status: 302, location: "/hop\(hop)") else {
                Issue.record("hop \(hop) was not followed")
                return
            }
            current = next
        }
        guard case .refuse(.tooManyHops) = rules.decide(after: current, status: 302, location: "/last") else {
            Issue.record("followed")
            return
        }
    }

    @Test func redirectBackIsFollowedOnce() throws {
        #expect(followed(try request(), location: "/one") != nil)
    }

    @Test func redirectLoopIsRefused() throws {
        var rules = RedirectRules()
        var current = try request()
        var hops = 0
        while case .follow(let next, _) = rules.decide(
            after: current, status: 302, location: current.url?.path == "/one" ? "/two" : "/one")
        {
            current = next
            hops += 1
        }
        #expect(hops == 3)
    }

    @Test func anotherMethodIsNotALoop() throws {
        var rules = RedirectRules()
        let post = try request(method: "POST")
        guard case .follow(let get, _) = rules.decide(after: post, status: 303, location: "/one"),
            case .follow = rules.decide(after: get, status: 303, location: "/one")
        else {
            Issue.record("not followed")
            return
        }
    }

    @Test func refusalsAreDescribedErrors() throws {
        let url = try #require(URL(string: "http://user:secret@a.example/"))
        let reasons: [RedirectRules.Refusal] = [
            .insecure(url), .unsupportedScheme(url), .unixSocket(url), .tooManyHops, .loop(url),
        ]
        for reason in reasons {
            #expect(reason.error.isSessionTaskError)
            #expect(reason.error.localizedDescription.hasPrefix("The server redirects"))
            #expect(!reason.error.localizedDescription.contains("secret"))
        }
    }
}

extension RedirectRules {
    /// The decision of the rules about a `URLRequest`.
    fileprivate enum Step {
        case deliver
        case follow(URLRequest, keepsBody: Bool)
        case refuse(Refusal)
    }

    /// Decides for a request made from a `URLRequest`, and returns the follow-up as one.
    fileprivate mutating func decide(after urlRequest: URLRequest, status: Int, location: String?) -> Step {
        var request = HTTPRequest(urlRequest)
        request.body = urlRequest.httpBody.map(TransportBody.data) ?? .none
        guard let url = urlRequest.url else { return .deliver }
        switch decide(after: request, at: url, status: status, location: location) {
        case .deliver: return .deliver
        case .refuse(let refusal, _, _, _): return .refuse(refusal)
        case .follow(let next, let url, let keepsBody):
            var made = URLRequest(url: url)
            made.httpMethod = next.method
            made.allHTTPHeaderFields = Dictionary(
                next.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            if case .data(let body) = next.body { made.httpBody = body }
            return .follow(made, keepsBody: keepsBody)
        }
    }
}
