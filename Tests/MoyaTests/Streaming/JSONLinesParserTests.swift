import Foundation
import Testing

@testable import Moya

@Suite struct JSONLinesParserTests {
    private static let cases: [(type: String?, text: String, elements: [String])] = [
        ("application/jsonl", "{\"a\":1}\n[1,2]\r\n\n \t\n3", ["{\"a\":1}", "[1,2]\r", "3"]),
        ("application/x-ndjson; charset=utf-8", "[1]\n[2]\n", ["[1]", "[2]"]),
        ("application/jsonl", "\u{FEFF}1\n2", ["1", "2"]),
        ("application/x-ndjson", "{\"a\":\r1}\n", ["{\"a\":\r1}"]),
        (nil, "{\"a\":1}\n{\"a\":2}\n", ["{\"a\":1}", "{\"a\":2}"]),
        (nil, "\n  {\"a\":1}\n", ["{\"a\":1}"]),
        (nil, "", []), (nil, " \n\t", []),
        (nil, "[]", []), ("application/json", " [ ] \n", []),
        (
            "application/json", "\u{FEFF} [1, \"a,]\\\"\" ,{\"b\":[1,{}]},[2],null]\n",
            ["1", "\"a,]\\\"\"", "{\"b\":[1,{}]}", "[2]", "null"]
        ),
        ("application/json", "{\"a\":1}\n{\"a\":2}", ["{\"a\":1}", "{\"a\":2}"]),
        ("application/json", "[true,-1.5e3,\"\\\\\"]", ["true", "-1.5e3", "\"\\\\\""]),
        (nil, "\u{1E}{\"a\":1}\n\u{1E}[2]\n", ["{\"a\":1}", "[2]"]),
        (
            "application/json-seq", "\u{1E}1\n\u{1E}\u{1E}\"a\u{7F}\"\n\u{1E}{\n\"b\": 2\n}\n",
            ["1", "\"a\u{7F}\"", "{\n\"b\": 2\n}"]
        ),
        ("application/geo+json-seq", "\u{1E}true\n", ["true"]),
    ]

    @Test(arguments: cases.indices) func findsTheElementsOfEveryFormat(_ index: Int) {
        let (type, text, elements) = Self.cases[index]
        expectElements(
            of: Data(text.utf8), { JSONLinesParser(contentType: type) }, are: elements.map { Data($0.utf8) })
    }

    @Test(arguments: [
        ("[1,2", ["1"], ResponseStreamError.truncatedElement("2")), ("[1,", ["1"], .truncatedElement("")),
        ("[", [], .truncatedElement("")), ("[1]x", ["1"], .malformedArray(offset: 3)),
        ("[1 2]", ["1"], .malformedArray(offset: 3)), ("[,1]", [], .malformedArray(offset: 1)),
        ("[1,]", ["1"], .malformedArray(offset: 3)), ("[1}", [], .truncatedElement("1}")),
        ("[{\"a\":\"", [], .truncatedElement("{\"a\":\"")), (" \n[1]x", ["1"], .malformedArray(offset: 5)),
        ("\u{FEFF}[1]x", ["1"], .malformedArray(offset: 6)), ("\u{FEFF} [,", [], .malformedArray(offset: 5)),
    ])
    func tellsWhereAnArrayIsWrong(text: String, elements: [String], error: ResponseStreamError) {
        expectElements(
            of: Data(text.utf8), { JSONLinesParser(contentType: "application/json") },
            are: elements.map { Data($0.utf8) }, errors: [error])
    }

    @Test(arguments: [[0xEF], [0xEF, 0xBB]] as [[UInt8]]) func keepsPartOfAByteOrderMark(bytes: [UInt8]) {
        expectElements(of: Data(bytes), { JSONLinesParser() }, are: [Data(bytes)])
    }

    @Test func doesNotCountTheCarriageReturnOfALineEnd() {
        expectElements(
            of: Data("[1]\r\n[2]\n[34]\r\n".utf8), { JSONLinesParser(contentType: "application/jsonl", limit: 3) },
            are: ["[1]\r", "[2]"].map { Data($0.utf8) }, errors: [.elementTooLong(limit: 3)])
    }

    @Test func continuesAfterATruncatedRecord() {
        // RFC 7464 section 2.4: a number that no white space follows may have lost digits.
        let text = "\u{1E}12\u{1E}{\"a\":\n\u{1E}34\n\u{1E}\"b\u{1E}56"
        expectElements(
            of: Data(text.utf8), { JSONLinesParser(contentType: "application/json-seq") }, are: [Data("34".utf8)],
            errors: [
                .truncatedElement("12"), .truncatedElement("{\"a\":\n"), .truncatedElement("\"b"),
                .truncatedElement("56"),
            ])
    }

    @Test(arguments: ["application/jsonl", "application/json", "application/json-seq"])
    func refusesAnElementThatIsTooLong(type: String) {
        let start = type.hasSuffix("seq") ? "\u{1E}" : type.hasSuffix("jsonl") ? "" : "["
        expectElements(
            of: Data((start + "\"123456789\"").utf8), { JSONLinesParser(contentType: type, limit: 8) }, are: [],
            errors: [.elementTooLong(limit: 8)])
    }

    @Test(arguments: ["\"1234567\"", "[1,23456]", "{\"a\":123}", "123456789"])
    func refusesAnElementThatIsTooLongByAByte(element: String) {
        expectElements(
            of: Data("[\(element)]".utf8), { JSONLinesParser(limit: 8) }, are: [], errors: [.elementTooLong(limit: 8)])
    }

    @Test(arguments: ["\"123456\"", "[1,2345]", "{\"a\":12}", "12345678"])
    func givesAnElementOfTheMaximumLength(element: String) {
        expectElements(of: Data("[\(element)]".utf8), { JSONLinesParser(limit: 8) }, are: [Data(element.utf8)])
    }

    @Test func givesEachElementWithItsLastByte() throws {
        var parser = JSONLinesParser(contentType: "application/json")
        parser.append(Data("[{\"a\":1}".utf8))
        #expect(try parser.next() == Data("{\"a\":1}".utf8))
        parser = JSONLinesParser(contentType: "application/json-seq")
        parser.append(Data("\u{1E}[1]".utf8))
        #expect(try parser.next() == Data("[1]".utf8))
    }
}
