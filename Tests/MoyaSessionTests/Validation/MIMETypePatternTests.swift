import Testing

@testable import MoyaSession

@Suite struct MIMETypePatternTests {
    // MARK: Reading

    @Test(arguments: [
        "", " ", "text", "text/", "/plain", "/", "a/b/c", "a//b", "a b/c", "a/b c", "a/b, c/d", "a\"/b", "a/b\r\n",
        "a/b\0",
        ";a/b", "é/b",
    ])
    func textThatIsNoTypeIsRefused(text: String) {
        #expect(MIMETypePattern(text) == nil)
    }

    @Test(arguments: [
        "text/html", " text/html ", "\ttext/html\t", "text/html;charset=utf-8", "text/html ; charset=\"a/b\"",
        "text/html;",
    ])
    func parametersAndOuterSpacesAreIgnored(text: String) throws {
        let pattern = try #require(MIMETypePattern(text))
        #expect(pattern.type == "text")
        #expect(pattern.subtype == "html")
    }

    @Test func everyTokenCharacterMayStandInAType() {
        #expect(
            MIMETypePattern("application/vnd.api+json!#$&-^_.0")?.description == "application/vnd.api+json!#$&-^_.0")
    }

    @Test(arguments: [("*/*", true), ("*/*;q=0.8", true), ("text/*", false), ("*/html", false), ("text/html", false)])
    func onlyTwoStarsAreAny(text: String, isAny: Bool) {
        #expect(MIMETypePattern(text)?.isAny == isAny)
    }

    // MARK: Matching

    @Test(arguments: [
        ("application/json", "application/json"), ("APPLICATION/Json", "application/jSON"), ("text/*", "text/html"),
        ("*/json", "application/json"), ("*/*", "a/b"), ("text/html;level=1", "text/html; charset=utf-8"),
        ("TEXT/*", "text/html"), ("*/JSON", "a/json"),
    ])
    func typeWithinTheRangeMatches(range: String, type: String) {
        #expect(MIMETypePattern.isAcceptable(contentType: type, by: [range]))
    }

    @Test(arguments: [
        ("application/json", "application/xml"), ("application/json", "text/json"), ("text/*", "application/text"),
        ("*/json", "application/jso"), ("*/json", "application/vnd.api+json"), ("text/htm", "text/html"),
        ("text/html", "text/*"), ("text/html", "text/json"), ("text/*", "font/html"), ("text", "text/html"),
        ("", "text/html"), ("*", "text/html"),
    ])
    func typeOutsideTheRangeDoesNotMatch(range: String, type: String) {
        #expect(!MIMETypePattern.isAcceptable(contentType: type, by: [range]))
    }

    @Test func oneRangeOfManyIsEnough() {
        #expect(MIMETypePattern.isAcceptable(contentType: "text/html", by: ["text", "image/*", "text/html"]))
    }

    @Test func noRangesAcceptNothing() {
        #expect(!MIMETypePattern.isAcceptable(contentType: "text/html", by: []))
    }

    @Test(arguments: ["", "text", "a/b/c"]) func typeThatCannotBeReadIsForAnyAlone(type: String) {
        #expect(MIMETypePattern.isAcceptable(contentType: type, by: ["text/html", "*/*"]))
        #expect(!MIMETypePattern.isAcceptable(contentType: type, by: ["text/html", "text/*", "*/html", type]))
    }

    // MARK: Accept

    static let lists: [(String, [String])] = [
        ("application/json", ["application/json"]),
        ("text/html,application/xml;q=0.9 ,*/*; q=0.8", ["text/html", "application/xml;q=0.9", "*/*; q=0.8"]),
        ("a/b;x=\"1,\\\",2\", c/d", ["a/b;x=\"1,\\\",2\"", "c/d"]),
        (" , ,a/b,, c/d,", ["a/b", "c/d"]),
        ("a/b;x=\"never, closed", ["a/b;x=\"never, closed"]),
        ("a/b;x=\"\\", ["a/b;x=\"\\"]),
        ("", ["*/*"]), (" ,, ", ["*/*"]),
    ]

    @Test(arguments: lists) func acceptIsSplitAtItsCommas(accept: String, ranges: [String]) {
        #expect(MIMETypePattern.ranges(inAccept: accept) == ranges)
    }

    @Test(arguments: [
        ("application/json, text/html;q=0.5", "text/html; charset=utf-8", true),
        ("application/json, text/*;q=0.5", "text/plain", true),
        ("application/json, text/html;q=0.5", "image/png", false),
        ("application/json, */*;q=0.1", "image/png", true),
        ("", "image/png", true), ("image", "image/png", false), ("*/*", "", true), ("image/png", "", false),
    ])
    func acceptHoldsTheType(accept: String, type: String, isAcceptable: Bool) {
        let ranges = MIMETypePattern.ranges(inAccept: accept)
        #expect(MIMETypePattern.isAcceptable(contentType: type, by: ranges) == isAcceptable)
    }
}
