import Foundation
import Testing

@testable import MoyaSession

@Suite struct SetCookieTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func parse(_ field: String) -> SetCookie? { SetCookie(parsing: field, now: now) }

    @Test(arguments: [
        ("a=b", "a", "b"),
        ("  a = b  ; Path=/", "a", "b"),
        ("a=", "a", ""),
        ("a=b=c", "a", "b=c"),
        ("a=\"b c\"", "a", "\"b c\""),
        ("a=b,c", "a", "b,c"),
        ("value", "", "value"),
        ("=value", "", "value"),
        ("a=\tb\t", "a", "b"),
        ("a=b\tc", "a", "b\tc"),
        ("a=ü", "a", "ü"),
    ])
    func nameAndValueAreRead(field: String, name: String, value: String) {
        let cookie = parse(field)
        #expect(cookie?.name == name)
        #expect(cookie?.value == value)
    }

    @Test(arguments: [
        "", ";", " ", "=", " = ", "; Path=/", "a=b\u{0}c", "a=b\r\nX: y", "a=b\u{7F}", "a=b; Path=/\u{1}",
    ])
    func aFieldThatIsEmptyOrHasControlCharactersIsIgnored(field: String) {
        #expect(parse(field) == nil)
    }

    @Test func nameAndValueHaveALimitTogether() {
        #expect(parse("a=" + String(repeating: "x", count: 4095)) != nil)
        #expect(parse("a=" + String(repeating: "x", count: 4096)) == nil)
        #expect(parse(String(repeating: "x", count: 4097)) == nil)
    }

    @Test func anOverlongAttributeIsIgnored() {
        let long = "/" + String(repeating: "x", count: 1024)
        #expect(parse("a=b; Path=/p; Path=\(long)")?.path == "/p")
        #expect(parse("a=b; Path=/p; Path=\(long.dropLast())")?.path == String(long.dropLast()))
    }

    @Test func attributesAreReadInAnyCaseAndSpacing() {
        let cookie = parse("a=b;SECURE ; httponly=yes;  pAtH = /x ;DOMAIN=.Example.COM; unknown=1; SameSite=Lax;;")
        #expect(cookie?.isSecure == true)
        #expect(cookie?.isHTTPOnly == true)
        #expect(cookie?.path == "/x")
        #expect(cookie?.domain == "example.com")
    }

    @Test func theLastOfRepeatedAttributesApplies() {
        let cookie = parse("a=b; Path=/x; Path=/y; Domain=x.com; Domain=y.com; Max-Age=1; Max-Age=2")
        #expect(cookie?.path == "/y")
        #expect(cookie?.domain == "y.com")
        #expect(cookie?.expires == now + 2)
    }

    @Test(arguments: ["a=b; Path", "a=b; Path=", "a=b; Path=x", "a=b; Path=/x; Path="])
    func malformedPathDefaultsToThatOfTheURL(field: String) throws {
        let cookie = try #require(parse(field))
        #expect(cookie.path == nil)
    }

    // MARK: Its end

    @Test func withoutAnExpiryACookieLastsForTheSession() throws {
        #expect(try #require(parse("a=b")).expires == nil)
        #expect(try #require(parse("a=b; Expires=never; Max-Age=soon")).expires == nil)
    }

    @Test(arguments: [("Max-Age=100", 100.0), ("Max-Age=0100", 100), ("max-age= 5 ", 5)])
    func maxAgeIsSecondsFromNow(attribute: String, seconds: TimeInterval) {
        #expect(parse("a=b; \(attribute)")?.expires == now + seconds)
    }

    @Test(arguments: ["0", "-1", "-99999999999999999999999", "00"])
    func aMaxAgeThatIsNotPositiveExpiresTheCookie(age: String) {
        #expect(parse("a=b; Max-Age=\(age)")?.expires == .distantPast)
    }

    @Test(arguments: ["", "1.5", "1e3", "+5", "5s", "0x10", "١٠"])
    func aMaxAgeThatIsNoNumberIsIgnored(age: String) throws {
        #expect(try #require(parse("a=b; Max-Age=\(age)")).expires == nil)
    }

    @Test func maxAgeOverridesExpires() {
        let expires = "Expires=Wed, 15 Nov 2023 00:00:00 GMT"
        #expect(parse("a=b; Max-Age=5; \(expires)")?.expires == now + 5)
        #expect(parse("a=b; \(expires); Max-Age=5")?.expires == now + 5)
        #expect(parse("a=b; \(expires); Max-Age=x")?.expires == Date(timeIntervalSince1970: 1_700_006_400))
    }

    @Test func cookiesLiveAtMost400Days() {
        let limit = now + 400 * 86400
        #expect(parse("a=b; Max-Age=99999999999999999999999999999")?.expires == limit)
        #expect(parse("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT")?.expires == limit)
    }
}
