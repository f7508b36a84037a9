import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CookieEngineTests {
    private let storage: HTTPCookieStorage
    private let engine: CookieEngine
    private let now = Date(timeIntervalSinceNow: 0)

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        engine = CookieEngine(storage: storage, suffixes: .builtIn)
    }

    private func set(_ fields: String..., from url: String, after seconds: TimeInterval = 0) throws {
        engine.store(setCookieFields: fields, from: URL.sure(url), now: now + seconds)
    }

    private func header(_ url: String, after seconds: TimeInterval = 0) throws -> String? {
        engine.cookieHeader(for: HTTPRequest(method: "GET", url: url), now: now + seconds)
    }

    private func userCookie(_ properties: [HTTPCookiePropertyKey: Any]) throws -> HTTPCookie {
        try #require(HTTPCookie(properties: properties))
    }

    // MARK: What is sent

    @Test func withoutCookiesThereIsNoField() throws {
        #expect(try header("http://e.com/") == nil)
    }

    @Test func cookieIsSentToItsServer() throws {
        try set("a=b; Path=/", "value", from: "http://e.com/")
        #expect(try header("http://e.com/x") == "a=b; value")
        #expect(try header("http://sub.e.com/") == nil)
        #expect(try header("http://other.com/") == nil)
    }

    @Test func cookieOfAServerIsInTheStorage() throws {
        try set("a=b; HttpOnly", from: "http://e.com/")
        #expect(storage.cookies?.map(\.name) == ["a"])
        #expect(storage.cookies?.first?.isHTTPOnly == true)
    }

    @Test func cookieFromTheStorageIsSent() throws {
        storage.setCookie(try userCookie([.name: "host", .value: "1", .domain: "e.com", .path: "/"]))
        storage.setCookie(try userCookie([.name: "all", .value: "2", .domain: ".e.com", .path: "/"]))
        #expect(try header("http://e.com/").map { Set($0.split(separator: "; ")) } == ["host=1", "all=2"])
        #expect(try header("http://sub.e.com/") == "all=2")
    }

    @Test(arguments: ["__Host-a", "__Secure-a", "__host-a"])
    func aCookieWithAPrefixIsSecureHoweverItWasStored(name: String) throws {
        storage.setCookie(try userCookie([.name: name, .value: "1", .domain: "e.com", .path: "/"]))
        #expect(try header("http://e.com/") == nil)
        #expect(try header("https://e.com/") == "\(name)=1")
        try set("\(name)=2", from: "http://e.com/")
        #expect(try header("https://e.com/") == "\(name)=1")
    }

    @Test(arguments: ["id=1; Path=/__Host-s", "d=1; Path=/si"])
    func anInsecureOriginEvictsNoSecureCookie(field: String) throws {
        try set("__Host-sid=a; Path=/; Secure", "sid=b; Path=/; Secure", from: "https://e.com/")
        try set(field, from: "http://e.com/")
        #expect(try header("https://e.com/") == "__Host-sid=a; sid=b")
    }

    #if os(Linux)
    /// Foundation stores both under one key, `e.com/ab`.
    @Test func aCookieInAnothersPlaceReplacesIt() throws {
        try set("b=1; Path=/a", "ab=2; Path=/", from: "http://e.com/")
        #expect(try header("http://e.com/a") == "ab=2")
        try set("b=3; Path=/a; Secure", from: "https://e.com/")
        #expect(try header("https://e.com/a") == "b=3")
    }
    #endif

    @Test func longerPathsComeFirstAndThenOlderCookies() throws {
        try set("z=1; Path=/", "b=2; Path=/x/y", "a=3; Path=/", "c=4; Path=/x", from: "http://e.com/")
        #expect(try header("http://e.com/x/y/z") == "b=2; c=4; z=1; a=3")
    }

    @Test func aCookieThatIsSetAgainKeepsItsPlace() throws {
        try set("z=1; Path=/", "a=2; Path=/", from: "http://e.com/")
        try set("z=3; Path=/", from: "http://e.com/")
        try set("z=4; Path=/", from: "http://e.com/")
        #expect(try header("http://e.com/") == "z=4; a=2")
    }

    @Test func aSecureCookieIsNotSentOverAnInsecureConnection() throws {
        try set("s=1; Secure; Domain=e.com", "o=2; Domain=e.com", from: "https://e.com/")
        #expect(try header("http://e.com/") == "o=2")
        #expect(try header("https://e.com/") == "s=1; o=2")
    }

    @Test func anExpiredCookieIsNotSent() throws {
        try set("a=b; Max-Age=100", from: "http://e.com/")
        #expect(try header("http://e.com/", after: 99) == "a=b")
        #expect(try header("http://e.com/", after: 100) == nil)
    }

    @Test(arguments: ["b\r\nX-Evil: 1", "b\nc", "b\u{0}", "b; c=d", "\u{7F}"])
    func aValueThatWouldBeMoreThanOneCookieIsNotSent(value: String) throws {
        storage.setCookie(try userCookie([.name: "evil", .value: value, .domain: "e.com", .path: "/"]))
        storage.setCookie(try userCookie([.name: "good", .value: "1", .domain: "e.com", .path: "/"]))
        #expect(try header("http://e.com/") == "good=1")
    }

    @Test func theFieldNeverGrowsBeyondItsLimit() throws {
        for index in 0..<20 {
            try set("c\(index)=" + String(repeating: "x", count: 4000), from: "http://e.com/")
        }
        let header = try #require(try header("http://e.com/"))
        #expect(header.utf8.count <= CookieEngine.mostBytes)
        #expect(header.hasPrefix("c0=") && header.contains("; c7=") && !header.contains("c8="))
    }

    // MARK: What is kept

    @Test(arguments: ["a=; Max-Age=0; Path=/", "a=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/"])
    func aCookieThatExpiresInThePastIsRemoved(field: String) throws {
        try set("a=b; Path=/", from: "http://e.com/")
        try set(field, from: "http://e.com/")
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test func aCookieOfAnotherPathOrDomainIsAnother() throws {
        try set("a=1; Path=/", "a=2; Path=/x", "a=3; Path=/; Domain=e.com", from: "http://e.com/")
        #expect(storage.cookies?.count == 3)
        try set("a=; Path=/; Max-Age=0", from: "http://e.com/")
        #expect(try header("http://e.com/x") == "a=2; a=3")
    }

    @Test func anInsecureAnswerNeitherReplacesNorRemovesASecureCookie() throws {
        try set("a=1; Secure; Path=/", from: "https://e.com/")
        try set("a=2; Path=/", "a=; Path=/; Max-Age=0", from: "http://e.com/")
        #expect(try header("https://e.com/") == "a=1")
    }

    @Test func theSecondFieldOfAResponseSeesTheFirst() throws {
        try set("a=1; Path=/", "a=2; Path=/", "b=1", "b=; Max-Age=0", from: "http://e.com/")
        #expect(try header("http://e.com/") == "a=2")
    }

    @Test func anExpiredCookieIsRemovedWhenAnotherIsStored() throws {
        try set("a=b; Max-Age=10", from: "http://e.com/")
        try set("c=d", from: "http://e.com/", after: 11)
        #expect(storage.cookies?.map(\.name) == ["c"])
    }

    /// For a second, or a hundredth of its life.
    @Test(arguments: [(100, 0.5, 5), (10_000, 90, 110)])
    func anUnchangedCookieIsNotStoredAgainForAWhile(life: Int, during: Double, after: Double) throws {
        try set("a=b; Max-Age=\(life)", from: "http://e.com/")
        let first = storage.cookies?.first
        try set("a=b; Max-Age=\(life)", from: "http://e.com/", after: during)
        #expect(storage.cookies?.first === first)
        try set("a=b; Max-Age=\(life)", from: "http://e.com/", after: after)
        #expect(storage.cookies?.first !== first)
    }

    @Test func evictsACookieLaterThatWasSetAgainUnchanged() throws {
        let small = CookieEngine(storage: storage, suffixes: .builtIn, limits: CookieLimits(site: 10, total: 100))
        let url = URL.sure("http://e.com/")
        for index in 0..<10 { small.store(setCookieFields: ["c\(index)=1"], from: url, now: now) }
        small.store(setCookieFields: ["c0=1"], from: url, now: now + 2)
        small.store(setCookieFields: ["c10=1"], from: url, now: now + 2)
        #expect(Set(storage.cookies?.map(\.name) ?? []) == Set([0, 3, 4, 5, 6, 7, 8, 9, 10].map { "c\($0)" }))
    }

    @Test func noMoreThanTheLimitOfASiteIsKept() throws {
        let small = CookieEngine(storage: storage, suffixes: .builtIn, limits: CookieLimits(site: 20, total: 100))
        try set("mine=1", from: "http://other.com/")
        for index in 0..<50 {
            let url = URL.sure("http://h\(index % 7).e.com/")
            small.store(setCookieFields: ["c\(index)=1"], from: url, now: now)
        }
        #expect((storage.cookies?.count ?? 0) <= 21)
        #expect(storage.cookies?.contains { $0.name == "mine" } == true)
        #expect(storage.cookies?.contains { $0.name == "c49" } == true)
    }

    @Test func aResponseSetsALimitedNumberOfCookies() throws {
        let fields = (0..<1000).map { "c\($0)=1" }
        engine.store(setCookieFields: fields, from: URL.sure("http://e.com/"), now: now)
        #expect(storage.cookies?.count == CookieLimits().response)
    }

    @Test func aResponseMayRemoveMoreCookiesThanItMaySet() throws {
        let url = URL.sure("http://e.com/")
        for range in [0..<50, 50..<60] {
            engine.store(setCookieFields: range.map { "c\($0)=1" }, from: url, now: now)
        }
        engine.store(setCookieFields: (0..<60).map { "c\($0)=; Max-Age=0" }, from: url, now: now)
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test func refusedCookiesTakeNoPlaceOfOthers() throws {
        let fields = (0..<60).map { "c\($0)=1; Domain=other.com" } + ["a=1"]
        engine.store(setCookieFields: fields, from: URL.sure("http://e.com/"), now: now)
        #expect(try header("http://e.com/") == "a=1")
    }

    @Test func aResponseRemovesALimitedNumberOfExpiredCookies() throws {
        let engine = CookieEngine(storage: storage, suffixes: .builtIn, limits: CookieLimits(response: 4))
        for name in ["a", "b", "c", "d", "e", "f"] { try set("\(name)=1; Max-Age=10", from: "http://e.com/") }
        let url = URL.sure("http://other.com/")
        engine.store(setCookieFields: [], from: url, now: now + 11)
        #expect(storage.cookies?.count == 2)
    }

    @Test func storesNoMoreOnceTheExchangeIsOver() throws {
        var count = 0
        engine.store(setCookieFields: ["a=1", "b=2", "c=3"], from: URL.sure("http://e.com/"), now: now) {
            count += 1
            return count < 3
        }
        #expect(try header("http://e.com/") == "a=1; b=2")
    }

    @Test func aCookieOfAnotherHostIsNotEvicted() throws {
        try set("a=1", from: "http://one.com/")
        try set("a=; Max-Age=0", from: "http://two.com/")
        #expect(storage.cookies?.count == 1)
    }

    // MARK: Policies

    @Test func aConfigurationWithoutAStorageHasNoEngine() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        #expect(CookieEngine(configuration: configuration) == nil)
    }

    @Test func aConfigurationMaySendNoCookies() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = storage
        configuration.httpShouldSetCookies = false
        let silent = try #require(CookieEngine(configuration: configuration))
        let url = URL.sure("http://e.com/")
        silent.store(setCookieFields: ["a=b"], from: url)
        #expect(storage.cookies?.count == 1)
        #expect(silent.cookieHeader(for: HTTPRequest(URLRequest(url: url))) == nil)
    }

    @Test func aConfigurationMayStoreNoCookies() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = storage
        configuration.httpCookieAcceptPolicy = .never
        let engine = try #require(CookieEngine(configuration: configuration))
        let url = URL.sure("http://e.com/")
        engine.store(setCookieFields: ["a=b"], from: url)
        #expect(!engine.storesCookies)
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test func thePolicyOfTheStorageAppliesToo() throws {
        storage.cookieAcceptPolicy = .never
        try set("a=b", from: "http://e.com/")
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test(arguments: [("http://www.e.com/", true), ("http://other.com/", false), (nil, true)])
    func onlyTheSiteOfTheMainDocumentSetsCookies(document: String?, isTaken: Bool) throws {
        let url = URL.sure("http://api.e.com/")
        engine.store(setCookieFields: ["a=b"], from: url, mainDocumentURL: document.flatMap { URL(string: $0) })
        #expect(storage.cookies?.isEmpty == !isTaken)
    }

    // MARK: Requests and responses

    @Test func aRequestsOwnFieldIsSentUnchanged() throws {
        try set("a=b", from: "http://e.com/")
        var request = URLRequest.to("http://e.com/")
        #expect(engine.cookieHeader(for: HTTPRequest(request)) == "a=b")
        request.setValue("own=1", forHTTPHeaderField: "cookie")
        #expect(engine.cookieHeader(for: HTTPRequest(request)) == nil)
    }

    // MARK: Anything at all

    @Test func storedCookiesCanAlwaysBeSent() throws {
        var random = SeededGenerator(seed: 5)
        let pieces = [
            "a", "b", "=", ";", " ", "\t", "Path", "/", "Domain", "e.com", ".", "com", "Max-Age", "0", "-", "99",
            "Secure",
            "HttpOnly", "Expires", "06 Nov 2094 08:49:37", "__Host-", "__Secure-", "é", "\u{0}", "\r\n", "\"", ",",
            "%0d%0a", "\u{301}", String(repeating: "x", count: 3000),
        ]
        let urls = ["http://e.com/", "https://www.e.com/a/b", "http://127.0.0.1/", "https://co.uk/", "http://[::1]/x"]
        let engine = CookieEngine(storage: storage, suffixes: .builtIn, limits: CookieLimits(site: 20, total: 60))
        for _ in 0..<4000 {
            let field = (0..<Int.random(in: 0..<16, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            let url = URL.sure(try #require(urls.randomElement(using: &random)))
            engine.store(setCookieFields: [field], from: url, now: now)
            if let header = engine.cookieHeader(for: HTTPRequest(URLRequest(url: url)), now: now),
                !ASCII.isFieldValue(header) || header.utf8.count > CookieEngine.mostBytes
            {
                Issue.record("\(field.debugDescription) leads to \(header.debugDescription)")
                return
            }
        }
        let cookies = try #require(storage.cookies)
        #expect(!cookies.isEmpty && cookies.count <= 60)
        #expect(cookies.allSatisfy { CookieRules.isSendable(name: $0.name, value: $0.value) })
    }
}
