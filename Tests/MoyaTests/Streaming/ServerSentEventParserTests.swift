import Foundation
import Testing

@testable import Moya

/// The rules of WHATWG HTML section 9.2.6, each split at every byte.
@Suite struct ServerSentEventParserTests {
    private typealias Event = ServerSentEvent

    private static let cases: [(name: String, text: String, events: [ServerSentEvent])] = [
        ("three lines of data", "data: YHOO\ndata: +2\ndata: 10\n\n", [Event(data: "YHOO\n+2\n10")]),
        (
            "the standard's second example",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [Event(id: "1", data: "first event"), Event(data: "second event"), Event(data: " third event")]
        ),
        ("an unfinished event", "data: whole\n\ndata: third event", [Event(data: "whole")]),
        ("an event without its empty line", "data: whole\n\ndata: third event\n", [Event(data: "whole")]),
        ("empty data", "data\n\ndata\ndata\n\ndata:", [Event(data: ""), Event(data: "\n")]),
        ("one space", "data:test\n\ndata: test\n\n", [Event(data: "test"), Event(data: "test")]),
        ("a tab is data", "data:\ttest\n\n", [Event(data: "\ttest")]),
        ("a byte order mark", "\u{FEFF}data: x\n\n", [Event(data: "x")]),
        ("two byte order marks", "\u{FEFF}\u{FEFF}data: x\n\n", []),
        ("carriage returns", "data:a\rdata:b\r\rdata:c\r\r", [Event(data: "a\nb"), Event(data: "c")]),
        ("CR LF", "data:a\r\ndata:b\r\n\r\n", [Event(data: "a\nb")]),
        ("every line end", "data:a\r\ndata:b\rdata:c\n\r\ndata:d\r\r", [Event(data: "a\nb\nc"), Event(data: "d")]),
        ("LF, then CR", "data:a\n\rdata:b\n\n", [Event(data: "a"), Event(data: "b")]),
        ("no other line end", "data:a\u{85}b\u{2028}c\u{0B}d\n\n", [Event(data: "a\u{85}b\u{2028}c\u{0B}d")]),
        ("a type", "event: add\ndata: 73857293\n\n", [Event(type: "add", data: "73857293")]),
        (
            "the last type", "event: a\nevent: b\ndata: x\n\ndata: y\n\n",
            [Event(type: "b", data: "x"), Event(data: "y")]
        ),
        ("an empty type", "event: a\nevent\ndata: x\n\n", [Event(data: "x")]),
        ("a type without data", "event: a\n\ndata: x\n\n", [Event(data: "x")]),
        ("an id that stays", "id: 1\ndata: a\n\ndata: b\n\n", [Event(id: "1", data: "a"), Event(id: "1", data: "b")]),
        ("an id taken back", "id: 1\ndata: a\n\nid\ndata: b\n\n", [Event(id: "1", data: "a"), Event(data: "b")]),
        ("an id without data", "id: 1\n\ndata: a\n\n", [Event(id: "1", data: "a")]),
        (
            "an id with NUL", "id: 1\ndata: a\n\nid: 2\u{0}\ndata: b\n\n",
            [Event(id: "1", data: "a"), Event(id: "1", data: "b")]
        ),
        ("an id of spaces", "id:  1 \ndata: a\n\n", [Event(id: " 1 ", data: "a")]),
        ("comments", ":\n: data: x\ndata: a\n:b\ndata: c\n\n", [Event(data: "a\nc")]),
        ("unknown fields", "Data: x\n data: y\ndata : z\ndat: a\nfoo\ndata: b\n\n", [Event(data: "b")]),
        ("colons in data", "data: a: b::c\n\n", [Event(data: "a: b::c")]),
        ("NUL in data", "data: a\u{0}b\n\n", [Event(data: "a\u{0}b")]),
        ("empty lines", "\n\n\r\n\rdata: a\n\n\n\n", [Event(data: "a")]),
        ("text of many bytes", "data: €😀漢\n\n", [Event(data: "€😀漢")]),
    ]

    @Test(arguments: cases.indices) func parsesEventsByTheStandard(_ index: Int) {
        let (_, text, events) = Self.cases[index]
        expectElements(of: Data(text.utf8), { ServerSentEventParser() }, are: events)
    }

    @Test func replacesBytesThatAreNotUTF8() {
        let bytes = Data("data: a".utf8) + [0xFF] + Data("b\n\n".utf8)
        expectElements(of: bytes, { ServerSentEventParser() }, are: [Event(data: "a\u{FFFD}b")])
    }

    @Test(arguments: [
        ("retry: 3000\n", 3000), ("retry:3000\nretry: x\n", 3000), ("retry\n", nil), ("retry: -1\n", nil),
        ("retry: 1.5\n", nil), ("retry: ٣\n", nil), ("retry: 99999999999999999999\n", Int64.max), ("retry: 5", nil),
    ])
    func takesARetryOfDigitsOnly(text: String, retry: Int64?) throws {
        var parser = ServerSentEventParser()
        parser.append(Data(text.utf8))
        #expect(try parser.next() == nil)
        parser.finish()
        #expect(try parser.next() == nil)
        #expect(parser.retry == retry)
    }

    @Test func keepsTheIdOfThePreviousConnection() throws {
        var parser = ServerSentEventParser(lastEventID: "7")
        parser.append(Data("data: a\n\nid: 8\ndata: unfinished\n".utf8))
        #expect(try parser.next() == Event(id: "7", data: "a"))
        #expect(try parser.next() == nil)
        #expect(parser.lastEventID == "7")
    }

    @Test func takesAnEventOfTheGreatestLength() {
        expectElements(
            of: Data("data: 12345\ndata: 12345\n\n".utf8), { ServerSentEventParser(limit: 11) },
            are: [Event(data: "12345\n12345")])
    }

    @Test func refusesAnEventThatIsTooLong() {
        let text = "data: 123\ndata: 456\n\ndata: 1234\ndata: 56789\ndata: x\n\n"
        expectElements(
            of: Data(text.utf8), { ServerSentEventParser(limit: 11) }, are: [Event(data: "123\n456")],
            errors: [.elementTooLong(limit: 11)])
        expectElements(
            of: Data(repeating: 0x3A, count: 12), { ServerSentEventParser(limit: 11) }, are: [],
            errors: [.elementTooLong(limit: 11)])
    }
}
