import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

@Suite struct SuggestedFileNameTests {
    private func name(_ disposition: String?, url: String = "http://a.example/", type: String? = nil) -> String {
        SuggestedFileName.name(contentDisposition: disposition, url: URL(string: url)!, mimeType: type)
    }

    // MARK: Where the name comes from

    @Test(arguments: [
        ("attachment; filename=report.pdf", "report.pdf"),
        (#"attachment; filename="annual report.pdf""#, "annual report.pdf"),
        (#"inline; filename="naïve.txt""#, "naïve.txt"),
        ("attachment; filename*=UTF-8''na%C3%AFve%20plan.txt", "naïve plan.txt"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates.txt", "£ rates.txt"),
        (#"attachment; filename="fallback.txt"; filename*=utf-8''%e2%82%ac.txt"#, "€.txt"),
        (#"attachment; filename*=utf-8''%e2%82%ac.txt; filename="fallback.txt""#, "€.txt"),
        (#"attachment; filename*="UTF-8''quoted.txt""#, "quoted.txt"),
    ])
    func theFieldNamesTheFile(disposition: String, expected: String) {
        #expect(name(disposition) == expected)
    }

    @Test(arguments: [
        "utf-8''%ff%fe", "utf-8''%", "utf-8''%4", "utf-8''%zz", "utf-16''a", "''a", "utf-8'a", "plain",
    ])
    func aMalformedExtendedNameIsReplacedWithThePlainOne(value: String) {
        #expect(name("attachment; filename=plain.txt; filename*=\(value)") == "plain.txt")
    }

    @Test(arguments: [nil, "", "attachment", "attachment; filename=", #"attachment; filename="..""#])
    func theURLNamesTheFileWhenTheFieldDoesNot(disposition: String?) {
        #expect(name(disposition, url: "http://a.example/files/b%20c.tar.gz?x=/y.txt#z") == "b c.tar.gz")
    }

    @Test(arguments: ["http://a.example", "http://a.example/", "http://a.example/x/", "http://a.example/%2E%2E"])
    func responseWithoutANameIsUnknown(url: String) {
        #expect(name(nil, url: url) == "Unknown")
    }

    @Test func aNameFromTheURLGetsTheExtensionOfTheType() {
        #expect(name(nil, url: "http://a.example/users", type: "application/json; charset=utf-8") == "users.json")
        #expect(name(nil, url: "http://a.example/users.txt", type: "application/json") == "users.txt")
        #expect(name(nil, url: "http://a.example/LICENSE", type: "text/plain") == "LICENSE")
        #expect(name("attachment; filename=users", type: "application/json") == "users")
    }

    // MARK: What a hostile server sends

    @Test(arguments: [
        ("../../etc/passwd", "passwd"),
        ("/etc/passwd", "passwd"),
        ("..\\\\..\\\\windows\\\\system.ini", "system.ini"),
        ("....//x", "x"),
        ("a/..", "fallback"),
        (".", "fallback"),
        ("..", "fallback"),
        (" .. ", "fallback"),
        ("a/", "fallback"),
        (".bashrc", "bashrc"),
        (". .ssh", "ssh"),
        (".\u{301}hidden", "\u{301}hidden"),
        ("a\u{0}b.txt", "ab.txt"),
        ("a\r\nX-Evil: 1.txt", "aX-Evil_ 1.txt"),
        ("\u{202E}fdp.exe", "fdp.exe"),
        ("a\u{2028}b", "ab"),
        ("x:stream", "x_stream"),
        ("a<b>c|d?e*f", "a_b_c_d_e_f"),
        ("name. . .", "name"),
        ("CON", "_CON"),
        ("PRN.\u{301}txt", "_PRN.\u{301}txt"),
        ("nul.txt", "_nul.txt"),
        ("Com1.log", "_Com1.log"),
        ("LPT¹", "_LPT¹"),
        ("aux .txt", "_aux .txt"),
        ("console.txt", "console.txt"),
        ("comma", "comma"),
    ])
    func aPlainNameIsMadeHarmless(suggestion: String, expected: String) {
        #expect(name("attachment; filename=\"\(suggestion)\"", url: "http://a.example/fallback") == expected)
    }

    @Test(arguments: [
        ("%2e%2e%2f%2e%2e%2fetc%2fpasswd", "passwd"),
        ("..%5c..%5cx.exe", "x.exe"),
        ("a.txt%00.exe", "a.txt.exe"),
        ("%22quoted%22.txt", "_quoted_.txt"),
        ("%0d%0aSet-Cookie%3a%20a", "Set-Cookie_ a"),
        ("%E2%80%AEgpj.exe", "gpj.exe"),
        ("%252e%252e%252fx", "%2e%2e%2fx"),
    ])
    func anExtendedNameIsMadeHarmless(suggestion: String, expected: String) {
        #expect(name("attachment; filename*=utf-8''\(suggestion)", url: "http://a.example/fallback") == expected)
    }

    @Test(arguments: [
        ("http://a.example/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("http://a.example/%5C%5Cshare%5Cx", "x"),
        ("http://a.example/a%00b", "ab"),
        ("http://a.example/.profile", "profile"),
        ("http://a.example/%FF%FE", "%FF%FE"),
    ])
    func aNameFromTheURLIsMadeHarmless(url: String, expected: String) {
        #expect(name(nil, url: url) == expected)
    }

    // MARK: Length

    @Test func anOverlongNameIsCutAndKeepsItsExtension() {
        let long = name("attachment; filename=\"\(String(repeating: "é", count: 400)).tar.gz\"")
        #expect(long.utf8.count <= 255 && long.utf8.count > 250)
        #expect(long.hasSuffix("é.gz") || long.hasSuffix(".tar.gz"))
    }

    /// Without a part of it, the extension alone would be the name of a hidden file.
    @Test func aSingleOverlongCharacterIsCutWithinIt() {
        let long = name("attachment; filename*=UTF-8''a\(String(repeating: "%CC%81", count: 130)).bashrc")
        #expect(long.hasPrefix("á") || long.unicodeScalars.first == "a")
        #expect(long.utf8.count <= 255 && long.hasSuffix(".bashrc"))
    }

    @Test func anOverlongExtensionIsCutToo() {
        let long = name("attachment; filename=\"a.\(String(repeating: "x", count: 400))\"")
        #expect(long.utf8.count == 255)
        #expect(long.hasPrefix("a.xxx"))
    }

    @Test func aNameAtTheLimitIsUnchanged() {
        let exact = String(repeating: "x", count: 251) + ".txt"
        #expect(name("attachment; filename=\(exact)") == exact)
    }

    @Test func trimsTheEndAfterACut() {
        let long = String(repeating: "x", count: 254) + ". " + String(repeating: "y", count: 40)
        #expect(name("attachment; filename=\"\(long)\"") == String(repeating: "x", count: 254))
    }

    // MARK: Anything at all

    @Test func noFieldGivesANameOutsideTheDirectory() {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "attachment", ";", "filename", "filename*", "=", "\"", "\\", "/", "..", ".", "utf-8''", "%2e", "%2f", "%5c",
            "%00", "%ff", " ", "\t", "a", "é", "\u{202E}", "\r", "\n", "\u{0}", "CON", ":", "'", "%",
        ]
        for _ in 0..<20_000 {
            let field = (0..<Int.random(in: 0..<14, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            let result = name("attachment; filename" + field, url: "http://a.example/")
            let isSafe =
                !result.isEmpty && result.utf8.count <= 255 && result.utf8.first != UInt8(ascii: ".")
                && !result.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F }
            if !isSafe {
                Issue.record("\(field.debugDescription) gives \(result.debugDescription)")
                return
            }
        }
    }

    /// The underscore pushes a byte off the end, and the new last character may be one that Windows drops.
    @Test func aDeviceNameOfMaximumLengthDoesNotEndInASpace() throws {
        let longest = try #require(SuggestedFileName.harmless(String(repeating: "a", count: 1000))?.utf8.count)
        let stem = "PRN.b"
        let device = stem + String(repeating: "c", count: longest - stem.utf8.count - 2) + " d"
        let name = try #require(SuggestedFileName.harmless(device))
        #expect(name.hasPrefix("_PRN."))
        #expect(name.last?.isWhitespace == false)
    }
}
