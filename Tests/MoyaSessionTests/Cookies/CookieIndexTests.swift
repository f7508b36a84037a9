import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CookieIndexTests {
    private let index = CookieIndex()
    private let others: [HTTPCookie]

    init() throws { others = try (0..<40).map { try Self.cookie("other", "host\($0).org") } }

    private static func cookie(_ name: String, _ domain: String) throws -> HTTPCookie {
        try #require(HTTPCookie(properties: [.name: name, .value: "1", .domain: domain, .path: "/"]))
    }

    /// The names that a second search among the same cookies finds.
    private func found(_ host: String, among cookies: [HTTPCookie]) -> [String] {
        _ = index.candidates(for: host, among: cookies)
        return index.candidates(for: host, among: cookies).map(\.name)
    }

    @Test func findsTheCookiesOfAHostAndOfItsParents() throws {
        let cookies = try others + [Self.cookie("host", "a.b.com"), Self.cookie("site", ".b.com")]
        #expect(found("a.b.com", among: cookies) == ["host", "site"])
    }

    @Test func keepsTheOrderOfTheStore() throws {
        let cookies = try [Self.cookie("site", ".b.com")] + others + [Self.cookie("host", "a.b.com")]
        #expect(found("a.b.com", among: cookies) == ["site", "host"])
    }

    @Test func leavesOutSiblingsAndHostsThatEndAlike() throws {
        let cookies = try others + [Self.cookie("sibling", "c.b.com"), Self.cookie("alike", "xb.com")]
        #expect(found("b.com", among: cookies).isEmpty)
    }

    @Test func findsADomainInCapitals() throws {
        let cookies = try others + [Self.cookie("loud", ".B.COM")]
        #expect(found("a.b.com", among: cookies) == ["loud"])
    }

    @Test func searchesAFewCookiesLinearly() throws {
        #expect(found("b.com", among: Array(others.prefix(3))).count == 3)
    }

    @Test func searchesAllCookiesAfterAChange() throws {
        _ = found("b.com", among: others)
        let changed = try others.dropLast() + [Self.cookie("new", "b.com")]
        #expect(index.candidates(for: "b.com", among: Array(changed)).map(\.name).contains("new"))
    }

    @Test func findsEveryCookieThatIsSentAmongFewerThanAll() throws {
        var random = SeededGenerator(seed: 18)
        let labels = ["a", "b", "c", "com"]
        func host() -> String {
            (0...Int.random(in: 0...3, using: &random)).map { _ in labels.randomElement(using: &random) ?? "a" }
                .joined(separator: ".")
        }
        let now = Date()
        let cookies = try (0..<300).map { number in
            try Self.cookie("\(number)", (Bool.random(using: &random) ? "." : "") + host())
        }
        var found = 0
        for _ in 0..<100 {
            let origin = try #require(CookieOrigin(url: URL.sure("http://\(host())/")))
            let names = Set(self.found(origin.host, among: cookies))
            let sent = cookies.filter { CookieRules.sends($0, to: origin, at: now) }.map(\.name)
            #expect(names.isSuperset(of: sent))
            found += names.count
        }
        #expect(found < 100 * cookies.count / 2)
    }
}

/// Changes of a large store that are made behind the engine's back.
@Suite struct CookieIndexStoreTests {
    private let storage: HTTPCookieStorage
    private let engine: CookieEngine

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        engine = CookieEngine(storage: storage, suffixes: .builtIn)
        for number in 0..<40 { storage.setCookie(try Self.cookie("1", "host\(number).org")) }
        storage.setCookie(try Self.cookie("1", "e.com"))
        for _ in 0..<3 { _ = sent }
    }

    private static func cookie(_ value: String, _ domain: String) throws -> HTTPCookie {
        try #require(HTTPCookie(properties: [.name: "a", .value: value, .domain: domain, .path: "/"]))
    }

    private var sent: String? { engine.cookieHeader(for: HTTPRequest(method: "GET", url: "http://e.com/")) }

    @Test func sendsAnIndexedCookie() { #expect(sent == "a=1") }

    @Test func sendsTheNewValueOfACookieThatTheUserSets() throws {
        storage.setCookie(try Self.cookie("2", "e.com"))
        #expect(sent == "a=2")
    }

    @Test func sendsNoCookieThatTheUserDeletes() throws {
        let cookie = try #require(storage.cookies?.first { $0.domain == "e.com" })
        storage.deleteCookie(cookie)
        #expect(sent == nil)
    }

    @Test func sendsACookieThatTheUserMovesHere() throws {
        let cookie = try #require(storage.cookies?.first { $0.domain == "e.com" })
        storage.deleteCookie(cookie)
        storage.setCookie(try Self.cookie("3", ".e.com"))
        #expect(sent == "a=3")
    }
}
