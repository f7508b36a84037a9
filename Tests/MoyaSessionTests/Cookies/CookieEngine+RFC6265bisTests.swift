import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One test for each sentence of RFC 6265bis sections 5.6 to 5.8 that a client without pages has to follow.
@Suite struct CookieEngineRFC6265bisTests {
    private let storage: HTTPCookieStorage
    private let engine: CookieEngine
    private let now = Date(timeIntervalSinceNow: 0)

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        engine = CookieEngine(storage: storage, suffixes: .builtIn)
    }

    private func set(_ fields: String..., from url: String = "https://e.com/", after seconds: TimeInterval = 0) {
        engine.store(setCookieFields: fields, from: URL.sure(url), now: now + seconds)
    }

    private func sent(to url: String = "https://e.com/", after seconds: TimeInterval = 0) -> String? {
        engine.cookieHeader(for: HTTPRequest(method: "GET", url: url), now: now + seconds)
    }

    // MARK: Section 5.6, the field

    @Test(arguments: Array(0x00...0x08) + Array(0x0A...0x1F) + [0x7F])
    func ignoresAFieldWithAControlCharacter(code: Int) throws {
        let character = try #require(Unicode.Scalar(code))
        set("a\(character)=1", "b=\(character)1", "c=1; Path=/\(character)", "d=1\(character)", "\(character)e=1")
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test func keepsATabWithinNameAndValue() {
        set("a\tb=c\td")
        #expect(sent() == "a\tb=c\td")
    }

    @Test(arguments: [
        ("value", "value"), ("=value", "value"), ("=a=b", "a=b"), ("==", "="), (" = value", "value"),
        ("=value; Path=/", "value"), ("value; Secure", "value"), ("a=", "a="), ("a=b=c", "a=b=c"), ("a==b", "a==b"),
    ])
    func splitsAtTheFirstEqualsSignAndHasNoNameWithoutOne(field: String, header: String) {
        set(field)
        #expect(sent() == header)
    }

    @Test(arguments: ["", "=", " ", " = ", ";", "; a=b", "=; Path=/"])
    func ignoresACookieWithNeitherNameNorValue(field: String) {
        set(field)
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test func keepsOneNamelessCookiePerDomainAndPath() {
        set("=one", "two", "=")
        #expect(sent() == "two")
    }

    @Test(arguments: [" a = b ", "\ta\t=\tb\t", "a=b ;Path=/", " \t a \t = \t b \t "])
    func stripsSpacesAndTabsAroundNameAndValue(field: String) {
        set(field)
        #expect(sent() == "a=b")
    }

    @Test(arguments: [
        ("a", 4095, true), ("a", 4096, false), ("", 4096, true), ("", 4097, false), ("é", 4094, true),
        ("é", 4095, false),
    ])
    func ignoresNameAndValueOfMoreThan4096BytesTogether(name: String, count: Int, isTaken: Bool) {
        set("\(name)=\(String(repeating: "v", count: count)); Path=/")
        #expect((sent() != nil) == isTaken)
    }

    @Test func countsNoAttributeTowardsTheSizeOfACookie() {
        set("a=\(String(repeating: "v", count: 4095)); Path=/; X=\(String(repeating: "x", count: 9000))")
        #expect(sent() != nil)
    }

    @Test func ignoresAnAttributeValueOfMoreThan1024Bytes() {
        set("a=1; Domain=\(String(repeating: "x", count: 1025)); Path=/")
        set("b=2; Max-Age=\(String(repeating: "0", count: 1025)); Path=/")
        set("c=3; Domain=\(String(repeating: "x", count: 1024)); Path=/")
        #expect(sent() == "a=1; b=2")
    }

    // MARK: Sections 5.6.1 to 5.6.7, the attributes

    @Test(arguments: [
        "Expires=soon", "Expires=", "Expires", "Max-Age=", "Max-Age=1.5", "Max-Age=+1", "Max-Age=0x1", "Max-Age=1s",
    ])
    func ignoresAMalformedExpiry(attribute: String) {
        set("a=b; \(attribute)")
        #expect(sent(after: 100_000_000) == "a=b")
    }

    @Test func prefersMaxAgeAtAnyPosition() {
        set("a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
        set("b=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=10")
        set("c=3; Max-Age=0; Expires=Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(sent(after: 9) == "a=1; b=2")
        #expect(sent(after: 10) == nil)
    }

    @Test(arguments: ["Max-Age=99999999999999999999", "Expires=Fri, 31 Dec 9999 23:59:59 GMT"])
    func endsACookieAfter400DaysAtTheLatest(attribute: String) {
        set("a=b; \(attribute)")
        #expect(sent(after: 400 * 86400 - 1) == "a=b")
        #expect(sent(after: 400 * 86400) == nil)
    }

    @Test(arguments: [
        ("Domain=e.com", true), ("Domain=.e.com", true), ("Domain=E.COM", true), ("Domain=", false), ("Domain", false),
        ("Domain=other.com; Domain=e.com", true), ("Domain=e.com; Domain=", false), ("X=1", false),
    ])
    func sendsToSubdomainsOnlyIfTheLastDomainAttributeAllowsIt(attribute: String, isForSubdomains: Bool) {
        set("a=b; \(attribute)")
        #expect(sent() == "a=b")
        #expect(sent(to: "https://sub.e.com/") == (isForSubdomains ? "a=b" : nil))
    }

    @Test(arguments: [
        ("", "/dir", true), ("; Path", "/dir", true), ("; Path=", "/dir/x", true), ("; Path=dir", "/dir", true),
        ("", "/", false), ("; Path=/", "/", true), ("; Path=/a; Path=/", "/", true), ("; Path=/; Path=x", "/", false),
        ("; Path=/dir/", "/dir", false), ("; Path=/dir/", "/dir/x", true), ("; Path=/di", "/dir", false),
        ("; Path=\"/\"", "/", false), ("; Path=/DIR", "/dir", false),
    ])
    func usesTheDirectoryOfTheURLForAMissingPath(attribute: String, path: String, isSent: Bool) {
        set("a=b\(attribute)", from: "https://e.com/dir/page?x=/y/")
        #expect((sent(to: "https://e.com\(path)") != nil) == isSent)
    }

    @Test(arguments: ["None", "none", "Lax", "Strict", "", "Sideways"], ["https", "http"])
    func keepsACookieWithAnySameSite(value: String, scheme: String) {
        set("a=b; SameSite=\(value)", from: "\(scheme)://e.com/")
        #expect(sent(to: "\(scheme)://e.com/") == "a=b")
    }

    // MARK: Section 5.1.2, hosts

    @Test func comparesHostsByTheirNamesInASCII() {
        set("a=b; Domain=xn--bcher-kva.example; Path=/", from: "https://www.bücher.example/")
        #expect(storage.cookies?.map(\.domain) == [".xn--bcher-kva.example"])
        for url in ["https://bücher.example/", "https://BÜCHER.example/", "https://a.xn--bcher-kva.example/"] {
            #expect(sent(to: url) == "a=b")
        }
    }

    @Test(arguments: ["公司.cn", "%E5%85%AC%E5%8F%B8.cn", "%e5%85%ac%e5%8f%b8.cn", "xn--55qx5d.cn"])
    func refusesAPublicSuffixInAnySpelling(domain: String) {
        set("a=b; Domain=\(domain)", from: "https://www.公司.cn/")
        #expect(storage.cookies?.isEmpty == true)
    }

    // MARK: Section 5.7, the store

    @Test(arguments: [
        "com", "co.uk", "github.io", "example", "other.com", "www.other.com", "x.www.e.com", ".com", "..e.com",
        "e.com.",
        "é.com", "ww.e.com", "w.e.com", "e.co",
    ])
    func refusesADomainThatTheHostDoesNotMatch(domain: String) {
        set("a=b; Domain=\(domain)", from: "https://www.e.com/")
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test func acceptsAPublicSuffixFromItsOwnHostForThatHostOnly() {
        set("a=b; Domain=github.io", from: "https://github.io/")
        #expect(sent(to: "https://github.io/") == "a=b")
        #expect(sent(to: "https://me.github.io/") == nil)
    }

    @Test(arguments: [("https://127.0.0.1/", "0.0.1"), ("https://[::1]/", "1"), ("https://1.2.3.4/", "2.3.4")])
    func matchesAddressesAsAWholeOnly(url: String, domain: String) {
        set("a=b; Domain=\(domain)", from: url)
        #expect(storage.cookies?.isEmpty == true)
        set("a=b", from: url)
        #expect(sent(to: url) == "a=b")
    }

    @Test func refusesASecureCookieFromAnInsecureConnection() {
        set("a=b; Secure", "c=d", from: "http://e.com/")
        #expect(sent() == "c=d")
    }

    @Test(arguments: [
        "a=2; Path=/login", "a=2; Path=/login/x", "a=2; Path=/login; Domain=e.com", "a=; Path=/login; Max-Age=0",
    ])
    func doesNotReplaceSecureCookiesFromAnInsecureConnection(field: String) {
        set("a=1; Secure; Path=/login; Domain=e.com")
        set(field, from: "http://sub.e.com/")
        set(field, from: "http://e.com/")
        #expect(sent(to: "https://e.com/login/x") == "a=1")
    }

    @Test func letsAnInsecureConnectionReplaceAnExpiredSecureCookie() {
        set("a=1; Secure; Path=/; Max-Age=10")
        set("a=2; Path=/", from: "http://e.com/", after: 11)
        #expect(sent(after: 12) == "a=2")
    }

    @Test(arguments: [
        "__Secure-a=1", "__SECURE-a=1", "__secure-a=1; HttpOnly", "__Host-a=1; Secure", "__Host-a=1; Path=/",
        "__host-a=1; Secure; Path=/; Domain=e.com", "__Host-a=1; Secure; Path=/x",
        "__hOsT-a=1; Secure; Path=/x; Path=/y",
        "__Secure-=1", "=__Secure-a=1; Secure", "__Host-a; Secure; Path=/", "=__host-a=1; Secure; Path=/",
        "__secure-; Secure",
        " =\t__Host-a; Secure; Path=/",
    ])
    func refusesANamePrefixWithoutItsAttributes(field: String) {
        set(field)
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test func refusesAHostPrefixWithTheDomainOfAnAddress() {
        set("__Host-a=1; Secure; Path=/; Domain=192.0.2.1", from: "https://192.0.2.1/")
        #expect(storage.cookies?.isEmpty == true)
        set("__Host-a=1; Secure; Path=/", from: "https://192.0.2.1/")
        #expect(storage.cookies?.count == 1)
    }

    @Test(arguments: [
        "__Secure-a=1; Secure; Domain=e.com; Path=/", "__HOST-a=1; Secure; Path=/",
        "__Host-a=1; Path=/x; Secure; Path=/",
        "__Host-a=1; Secure; Path=/; Domain=", "__Secur-a=1", "_Host-a=1", "a__Host-=1", "a=__Host-a",
    ])
    func acceptsANamePrefixWithItsAttributes(field: String) {
        set(field)
        #expect(sent() == String(field.prefix { $0 != ";" }))
    }

    @Test func replacesACookieOfTheSameNameDomainHostOnlinessAndPath() {
        set("a=1; Path=/", "a=2; Path=/", "a=3; Path=/; Domain=e.com", "A=4; Path=/")
        #expect(sent() == "a=2; a=3; A=4")
    }

    @Test func keepsTheTimeOfCreationWhenACookieIsReplaced() {
        set("a=1; Path=/", "b=2; Path=/")
        set("a=3; Path=/; HttpOnly; Max-Age=100")
        #expect(sent() == "a=3; b=2")
    }

    @Test func forgetsTheTimeOfCreationOfACookieThatWasRemoved() {
        set("a=1; Path=/", "b=2; Path=/")
        set("a=3; Path=/")
        set("a=; Path=/; Max-Age=0")
        set("a=4; Path=/")
        #expect(sent() == "b=2; a=4")
    }

    @Test func evictsEveryExpiredCookie() {
        set("a=1; Max-Age=10", from: "https://other.com/")
        set("b=2; Max-Age=10", "c=3")
        set("c=4", after: 11)
        #expect(storage.cookies?.map(\.value) == ["4"])
    }

    @Test func evictsExpiredThenInsecureThenOldestCookies() {
        let small = CookieEngine(storage: storage, suffixes: .builtIn, limits: CookieLimits(site: 10, total: 100))
        func set(_ field: String, after seconds: TimeInterval = 0) {
            small.store(setCookieFields: [field], from: URL.sure("https://e.com/"), now: now + seconds)
        }
        set("expired=1; Secure; Max-Age=1")
        set("secure=1; Secure")
        for index in 0..<8 { set("c\(index)=1") }
        #expect(storage.cookies?.count == 10)
        set("c8=1", after: 2)
        #expect(Set(storage.cookies?.map(\.name) ?? []) == Set((0...8).map { "c\($0)" } + ["secure"]))
        // A cookie that was set again counts as used, however old it is.
        set("c0=2", after: 2)
        set("c9=1", after: 2)
        #expect(Set(storage.cookies?.map(\.name) ?? []) == Set([0, 3, 4, 5, 6, 7, 8, 9].map { "c\($0)" } + ["secure"]))
    }

    // MARK: Section 5.8, the Cookie field

    @Test func sendsLongerPathsFirstAndThenOlderCookies() {
        set("z=1; Path=/", "y=2; Path=/a/b", "x=3; Path=/a", "w=4; Path=/a/b", from: "https://e.com/a/b/c")
        #expect(sent(to: "https://e.com/a/b/c") == "y=2; w=4; x=3; z=1")
    }

    @Test func sendsASecureCookieOverSecureConnectionsOnly() {
        set("a=1; Secure", "b=2")
        #expect(sent(to: "http://e.com/") == "b=2")
        #expect(sent(to: "https://e.com:8443/") == "a=1; b=2")
    }

    @Test func sendsHTTPOnlyCookies() {
        set("a=1; HttpOnly")
        #expect(sent() == "a=1")
    }

    @Test(arguments: ["http://xe.com/", "http://e.com.other.com/", "http://com/", "http://e.co/", "http://sube.com/"])
    func sendsNothingToAnotherHost(url: String) {
        set("a=1; Domain=e.com; Path=/")
        #expect(sent(to: url) == nil)
    }
}
