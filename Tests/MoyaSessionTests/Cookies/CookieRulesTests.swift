import Foundation
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CookieRulesTests {
    private let rules = CookieRules(suffixes: .builtIn)
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func place(
        _ field: String, from url: String, among present: [HTTPCookie] = []
    ) throws -> PlacedCookie? {
        let origin = try #require(CookieOrigin(url: URL.sure(url)))
        return rules.place(try #require(SetCookie(parsing: field, now: now)), from: origin, among: present)
    }

    // MARK: Domains

    @Test func withoutADomainACookieIsForItsHostOnly() throws {
        #expect(try place("a=b", from: "http://www.example.com/")?.domain == "www.example.com")
        #expect(try place("a=b; Domain=", from: "http://www.example.com/")?.domain == "www.example.com")
    }

    @Test(arguments: ["example.com", ".example.com", "EXAMPLE.com", "www.example.com"])
    func aParentDomainIncludesItsSubdomains(domain: String) throws {
        let placed = try place("a=b; Domain=\(domain)", from: "http://www.example.com/")
        #expect(placed?.domain == "." + domain.lowercased().drop { $0 == "." })
        #expect(placed?.isHostOnly == false)
    }

    @Test(arguments: [
        "other.com", "x.www.example.com", "ample.com", "www.example.com.", "..example.com", "com", "example",
        "exämple.com",
    ])
    func aDomainThatIsNotTheHostsIsRefused(domain: String) throws {
        #expect(try place("a=b; Domain=\(domain)", from: "http://www.example.com/") == nil)
    }

    /// The sign of Kelvin, whose lower case is a letter of ASCII.
    @Test func aDomainWithALetterThatOnlyLooksLikeTheHostsIsRefused() throws {
        #expect(try place("a=b; Domain=\u{212A}ey.example", from: "http://a.key.example/") == nil)
    }

    @Test(arguments: [
        ("http://shop.co.uk/", "co.uk"), ("http://me.github.io/", "github.io"), ("http://a.b.com/", "com"),
        ("http://printer.local/", "local"), ("http://x.s3.amazonaws.com/", "s3.amazonaws.com"),
        ("http://shop.co.uk./", "co.uk."),
    ])
    func aPublicSuffixIsRefused(url: String, suffix: String) throws {
        #expect(try place("a=b; Domain=\(suffix)", from: url) == nil)
    }

    @Test(arguments: ["github.io", "localhost", "co.uk"])
    func aSuffixThatIsTheHostIsForThatHostOnly(host: String) throws {
        #expect(try place("a=b; Domain=\(host)", from: "http://\(host)/")?.domain == host)
    }

    @Test func anAddressHasNoSubdomains() throws {
        #expect(try place("a=b; Domain=127.0.0.1", from: "http://127.0.0.1/")?.domain == "127.0.0.1")
        #expect(try place("a=b; Domain=0.0.1", from: "http://127.0.0.1/") == nil)
        #expect(try place("a=b", from: "http://[::1]/")?.domain == "::1")
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("1.2.3", true), ("0x7f.1", true), ("example.0x7f", true), ("::1", true),
        ("1.2.3.4.", true),
        ("example.com", false), ("1.example.com", false), ("127.0.0.1.example", false), ("", false), (".", false),
    ])
    func anAddressEndsInANumber(host: String, isAddress: Bool) {
        #expect(CookieRules.isAddress(host) == isAddress)
    }

    @Test(arguments: [
        ("example.com", "example.com", true), ("www.example.com", "example.com", true),
        ("example.com", "www.example.com", false), ("badexample.com", "example.com", false),
        ("10.0.0.1", "0.0.1", false), ("example.com", "", false), ("", "", true),
    ])
    func domainsMatchAtADot(host: String, domain: String, matches: Bool) {
        #expect(CookieRules.domainMatches(host: host, domain: domain) == matches)
    }

    // MARK: Paths

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
        ("/a/b", "/a/", true), ("/ab", "/a", false), ("/a", "/a/", false), ("/", "/a", false), ("/A", "/a", false),
        ("/a%2Fb", "/a", false), ("/a", "", true),
    ])
    func pathsMatchAtASlash(request: String, cookie: String, matches: Bool) {
        #expect(CookieRules.pathMatches(request, cookie) == matches)
    }

    @Test func withoutAPathACookieIsForTheDirectory() throws {
        #expect(try place("a=b", from: "http://e.com/x/y")?.path == "/x")
        #expect(try place("a=b; Path=z", from: "http://e.com/x/y")?.path == "/x")
        #expect(try place("a=b; Path=/z", from: "http://e.com/x/y")?.path == "/z")
    }

    // MARK: Secure

    @Test func onlyASecureOriginSetsSecureCookies() throws {
        #expect(try place("a=b; Secure", from: "http://e.com/") == nil)
        #expect(try place("a=b; Secure", from: "https://e.com/") != nil)
        #expect(try place("a=b; Secure", from: "http://localhost/") != nil)
    }

    @Test(arguments: [
        ("a=b", "http://e.com/"), ("a=b; Path=/x/y", "http://e.com/"), ("a=b; Domain=e.com", "http://e.com/"),
        ("a=b", "http://sub.e.com/x"), ("a=; Max-Age=0", "http://e.com/"),
    ])
    func anInsecureOriginDoesNotHideASecureCookie(field: String, url: String) throws {
        let secure = try #require(try place("a=1; Secure; Domain=e.com; Path=/", from: "https://e.com/")?.cookie)
        #expect(try place(field, from: url, among: [secure]) == nil)
        #expect(try place(field, from: url.replacing("http:", with: "https:"), among: [secure]) != nil)
    }

    @Test(arguments: [("b=1", "http://e.com/"), ("a=1", "http://other.com/"), ("a=1; Path=/", "http://e.com/")])
    func anInsecureOriginMaySetACookieBesideASecureOne(field: String, url: String) throws {
        let secure = try #require(try place("a=1; Secure; Path=/private", from: "https://e.com/")?.cookie)
        #expect(try place(field, from: url, among: [secure]) != nil)
    }

    // MARK: Prefixes

    @Test(arguments: [
        "__Secure-a=b; Secure", "__Secure-a=b; Secure; Domain=e.com; Path=/x", "__Host-a=b; Secure; Path=/",
        "__host-a=b; Secure; Path=/",
    ])
    func aNamePrefixWithItsAttributesIsAccepted(field: String) throws {
        #expect(try place(field, from: "https://e.com/") != nil)
    }

    @Test(arguments: [
        "__Secure-a=b", "__sEcUrE-a=b", "__Host-a=b", "__Host-a=b; Path=/", "__Host-a=b; Secure",
        "__Host-a=b; Secure; Path=/x", "__Host-a=b; Secure; Path=/; Domain=e.com", "__HOST-a=b; Path=/",
        "=__Secure-a=b; Secure", "__Host-; Secure; Path=/",
    ])
    func aNamePrefixWithoutItsAttributesIsRefused(field: String) throws {
        #expect(try place(field, from: "https://e.com/") == nil)
    }

    // MARK: What Foundation is given

    @Test func foundationKeepsEveryAttribute() throws {
        let cookie = try #require(
            try place("a=b; Domain=e.com; Path=/x; Secure; HttpOnly; Max-Age=100", from: "https://e.com/")?.cookie)
        #expect(cookie.name == "a")
        #expect(cookie.value == "b")
        #expect(cookie.domain == ".e.com")
        #expect(cookie.path == "/x")
        #expect(cookie.isSecure)
        #expect(cookie.isHTTPOnly)
        #expect(cookie.expiresDate == now + 100)
        #expect(!cookie.isSessionOnly)
    }

    @Test func foundationGetsOnlyPresentAttributes() throws {
        let cookie = try #require(try place("a=b", from: "https://e.com/")?.cookie)
        #expect(cookie.domain == "e.com")
        #expect(!cookie.isSecure)
        #expect(!cookie.isHTTPOnly)
        #expect(cookie.expiresDate == nil)
        #expect(cookie.isSessionOnly)
    }

    // MARK: Sites

    @Test(arguments: [
        ("http://a.e.com/", "http://b.e.com/", true), ("http://e.com/", "https://e.com:8443/x", true),
        ("http://a.co.uk/", "http://b.co.uk/", false), ("http://me.github.io/", "http://you.github.io/", false),
        ("http://127.0.0.1/", "http://127.0.0.2/", false), ("http://localhost/", "http://localhost:1/", true),
    ])
    func aSiteBelongsToOneOwner(one: String, other: String, isSame: Bool) throws {
        #expect(rules.isSameSite(URL.sure(one), URL.sure(other)) == isSame)
    }
}
