import Foundation
import MoyaTesting
import Testing

@testable import Moya

@Suite struct LineParserTests {
    private static let cases: [(text: String, lines: [String])] = [
        ("", []), ("\n", [""]), ("\r", [""]), ("\r\n", [""]), ("\n\r", ["", ""]), ("\r\r\n\n", ["", "", ""]),
        ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("a\n\nb\r\n\r\n", ["a", "", "b", ""]), ("ä€😀\r\n漢", ["ä€😀", "漢"]),
        ("\u{2028}x\u{85}y\n", ["\u{2028}x\u{85}y"]),
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []), ("\u{FEFF}\n", [""]),
    ]

    @Test(arguments: cases.indices) func splitsAtEveryLineEndWhereverChunksEnd(_ index: Int) {
        let (text, lines) = Self.cases[index]
        expectElements(of: Data(text.utf8), { LineParser() }, are: lines)
    }

    @Test func replacesBytesThatAreNotUTF8() {
        let bytes = Data([0x61, 0xFF, 0x0A, 0xE2, 0x82, 0x0A, 0xF0, 0x9F])
        expectElements(of: bytes, { LineParser() }, are: ["a\u{FFFD}", "\u{FFFD}", "\u{FFFD}"])
    }

    @Test func acceptsALineOfTheLimitAndRefusesALongerOne() {
        expectElements(
            of: Data("1234\n12345\nx".utf8), { LineParser(limit: 4) }, are: ["1234"],
            errors: [.elementTooLong(limit: 4)])
        expectElements(of: Data("12345".utf8), { LineParser(limit: 4) }, are: [], errors: [.elementTooLong(limit: 4)])
    }

    @Test func doesNotCountTheByteOrderMark() {
        expectElements(of: Data("\u{FEFF}1234\n12\n".utf8), { LineParser(limit: 4) }, are: ["1234", "12"])
        expectElements(of: Data("\u{FEFF}\n\n".utf8), { LineParser(limit: 0) }, are: ["", ""])
    }

    @Test func refusesAnEndlessLineAndStoresNoMoreThanTheLimit() {
        var parser = LineParser(limit: 1000)
        var count = 0
        #expect(throws: ResponseStreamError.elementTooLong(limit: 1000)) {
            while try parser.next() == nil, count < 100 {
                parser.append(Data(repeating: 0x61, count: 100))
                count += 1
            }
        }
        #expect(count == 11)
    }

    @Test func findsTheLinesOfRandomTextInRandomChunks() {
        var random = SeededGenerator(seed: 17)
        for _ in 0..<200 {
            let text = String((0..<300).map { _ in "ab\n\r\u{E9}\u{20AC}".randomElement(using: &random) ?? "a" })
            var chunks: [Data] = []
            var rest = Data(text.utf8)
            while !rest.isEmpty {
                let count = Int.random(in: 1...40, using: &random)
                chunks.append(Data(rest.prefix(count)))
                rest = Data(rest.dropFirst(count))
            }
            let whole = LineParser().elements(in: [Data(text.utf8)]).elements
            #expect(LineParser().elements(in: chunks).elements == whole)
        }
    }
}
