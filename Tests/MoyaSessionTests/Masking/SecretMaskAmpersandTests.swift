import Foundation
import MoyaTransport
import Testing

/// Ampersands that separate the items of a form, or are a part of a value; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskAmpersandTests {
    private func body(_ text: String) -> String {
        String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        ("DEBUG=1\nPASSWORD=\"abc&s3cr3t\"", "DEBUG=1\nPASSWORD=\"<masked>\""),
        ("level=info msg=x password=\"a&s3cr3t\" b=2", "level=info msg=x password=\"<masked>\" b=2"),
        ("level=info msg=x password=a&s3cr3t b=2", "level=info msg=x password=<masked> b=2"),
        (#"{"env":"DEBUG=1\nPASSWORD=\"abc&s3cr3t\""}"#, #"{"env":"DEBUG=1\nPASSWORD=\"<masked>\""}"#),
        ("PASSWORD=abc&s3cr3t", "PASSWORD=<masked>"), ("PASSWORD=abc&s3cr3t&page=2", "PASSWORD=<masked>&page=2"),
        ("PASSWORD='abc&s3cr3t'", "PASSWORD='<masked>'"), ("a=b&pin='c&s3cr3t'&page=2", "a=b&pin=<masked>&page=2"),
        ("a=b&c=d PASSWORD=\"x&s3cr3t\"", "a=b&c=d PASSWORD=\"<masked>\""),
        ("User{password=a&s3cr3t}", "User{password=<masked>"), ("x uid=me;pwd=a&s3cr3t", "x uid=me;pwd=<masked>"),
        ("user=it's me&password=a s3cr3t&page=2", "user=it's me&password=<masked>&page=2"),
        ("SECRET_KEY_BASE=abc\nPORT=3000\nHOST=x", "SECRET_KEY_BASE=<masked>\nPORT=3000\nHOST=x"),
        ("A=b&c\nURL=https://a/?b=c&d=e\nPIN=1", "A=b&c\nURL=https://a/?b=c&d=e\nPIN=<masked>"),
    ]) func masksAValueWithAmpersands(text: String, expected: String) {
        #expect(body(text) == expected)
        #expect(body(text + "\n") == expected + "\n")
    }

    @Test(arguments: [
        ("password=a&s3cr3t", "password=<masked>"), ("a=1&token=s3cr3t&page=2", "a=1&token=<masked>&page=2"),
        ("token=s3cr3t&page=2", "token=<masked>&page=2"),
        ("See https://a/?a=b&amp;token=s3cr3t&amp;page=2", "See https://a/?a=b&amp;token=<masked>&amp;page=2"),
        ("See https://a/?token=s3cr3t&page=2", "See https://a/?token=<masked>&page=2"),
    ]) func endsAnItemAtAnAmpersand(text: String, expected: String) {
        #expect(SecretMask.standard.text(text) == expected)
    }

    /// A quotation mark is an ordinary byte in a form.
    @Test(arguments: ["'s3cr3t", "'b's3cr3t", "\"b\"s3cr3t\"", "'b&s3cr3t'"])
    func masksAnItemThatBeginsWithAQuotationMark(value: String) {
        #expect(body("a=1&pin=\(value)&page=2") == "a=1&pin=<masked>&page=2")
        let url = SecretMask.standard.url("https://a/?pin=\(value)&page=2")
        #expect(url == "https://a/?pin=<masked>&page=2")
    }
}
