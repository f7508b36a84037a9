import Foundation
import MoyaTransport
import Testing

@testable import MoyaURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct TransportResponseHeadTests {
    @Test(arguments: [
        ("a=1", ["a=1"]),
        ("a=1, b=2", ["a=1", "b=2"]),
        ("a=1,b=2; Path=/", ["a=1", "b=2; Path=/"]),
        (
            "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/, b=2; Expires=Thu, 22 Oct 2015 07:28:00 GMT",
            ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", "b=2; Expires=Thu, 22 Oct 2015 07:28:00 GMT"]
        ),
        ("a=1, x", ["a=1, x"]),
        ("", [""]),
        (",,", [",,"]),
        (", =", [", ="]),
        (#"prefs={"a":1,"u":"/s?q=2"}; Path=/"#, [#"prefs={"a":1,"u":"/s?q=2"}; Path=/"#]),
        (
            "cookie[three]=c3; path=/, cookie[two]=c2; path=/,sid=9",
            ["cookie[three]=c3; path=/", "cookie[two]=c2; path=/", "sid=9"]
        ),
    ])
    func joinedCookiesAreSplit(_ value: String, _ cookies: [String]) {
        #expect(TransportResponseHead.cookies(in: value) == cookies)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [",", ", ", ",a", ",a ", ",;"])
    func cookiesAreSplitInLinearTime(_ piece: String) {
        let value = "a=" + String(repeating: piece, count: 200_000)
        #expect(TransportResponseHead.cookies(in: value) == [ASCII.trimmed(value[...])])
    }

    @Test func fieldsAreInTheOrderOfTheirNames() throws {
        let url = try #require(URL(string: "http://localhost/"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 299, httpVersion: nil, headerFields: ["B": "1 ", "c": "2", "A": "3"]))
        let head = try #require(TransportResponseHead(response))
        #expect(head.status == 299)
        #expect(head.fields.map(\.value) == ["3", "1", "2"])
    }

    @Test(arguments: [
        ("2", false), (" 2, 2", false), ("2, 3", true), ("+2", true), ("-2", true), ("0x2", true), ("", true),
        ("9223372036854775808", true),
    ])
    func aLengthHasDigitsOnly(length: String, isMalformed: Bool) {
        let head = TransportResponseHead(status: 200, fields: [HTTPField(name: "Content-Length", value: length)])
        #expect(head.hasMalformedLength == isMalformed)
    }

    @Test func responseOfAnotherSchemeHasNoHead() throws {
        let url = try #require(URL(string: "http://localhost/"))
        #expect(
            TransportResponseHead(
                URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)) == nil)
    }
}
