import Foundation
import MoyaTransport
import Testing

/// URLs without a scheme or slashes, and encoded URLs in text; in each case the secret is `s3cr3t`.
@Suite struct SecretMaskURLsTests {
    private let mask = SecretMask.standard

    @Test(arguments: [
        ("https://a/r/https%3A%2F%2Fb%2F%3Ftoken%3Ds3cr3t", "https://a/r/<masked>"),
        ("https://a/?token%3Ds3cr3t", "https://a/?<masked>"), ("https%3A%2F%2Fu%3As3cr3t%40b", "<masked>"),
        ("//u:s3cr3t@a/", "//<masked>@a/"), ("https:\\\\u:s3cr3t@a/", "https:\\\\<masked>@a/"),
        ("https://a/r/https%253A%252F%252Fb%252F%253Ftoken%253Ds3cr3t/x", "https://a/r/<masked>/x"),
    ]) func masksAURLInText(url: String, expected: String) throws {
        #expect(mask.text("It failed: \(url), sorry") == "It failed: \(expected), sorry")
        #expect(mask.value("<\(url)>; rel=\"next\"", ofField: "Link") == "<\(expected)>; rel=\"next\"")
        #expect(mask.value("0;url=\(url)", ofField: "Refresh").hasPrefix("0;url="))
        #expect(!mask.value("0;url=\(url)", ofField: "Refresh").contains("s3cr3t"))
        let json = try JSONEncoder().encode(["u": url])
        #expect(!String(decoding: mask.body(json), as: UTF8.self).contains("s3cr3t"))
    }

    @Test(arguments: [
        ("me:s3cr3t@b/c", "<masked>@b/c"), ("ftp:/u:s3cr3t@b", "<masked>@b"), ("\\\\u:s3cr3t@b", "\\\\<masked>@b"),
        ("/\\u:s3cr3t@b", "/\\<masked>@b"), ("https:\\\\u:s3cr3t@b", "https:\\\\<masked>@b"),
        ("me:s3cr3t@b?page=2", "<masked>@b?page=2"),
    ]) func masksAURLWithoutSlashes(url: String, expected: String) {
        #expect(mask.url(url) == expected)
        #expect(mask.value(url, ofField: "Location") == expected)
    }

    @Test(arguments: [
        "mailto:a@b", "sip:a@b", "/a:b/c@d", "/users/@me", "a@b", "/a%20b/c%2Fd?e=f%3Dg", "https://a/100%/b%2",
        "//a.test/b:c@d", "https://a//b@c", "https%3A%2F%2Fa%2F%3Fpage%3D2",
    ]) func leavesOtherURLsReadable(url: String) {
        #expect(mask.url(url) == url)
        #expect(mask.text(url) == url)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["a%3Db", "%3D ", "%253D", "//u:a@", "//", "https://a/b%3Dc/", "//:"])
    func readsManyURLsABoundedNumberOfTimes(piece: String) {
        #expect(!mask.text(String(repeating: piece, count: (1 << 18) / piece.utf8.count)).isEmpty)
    }
}
