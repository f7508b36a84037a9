import Foundation
import MoyaTransport
import Testing

/// The work of the mask, counted in the names that it looks up.
@Suite struct SecretMaskWorkTests {
    /// A name whose verdict is not kept, so that each look-up counts.
    private static let name = "longer-than-16-bytes"

    /// Items of a form, after which a value is percent-encoded in many layers.
    private func layeredForm(items: Int, layers: Int) -> String {
        String(repeating: "\(Self.name)=", count: 8) + String(repeating: "\(Self.name)=c,", count: items)
            + "%\(String(repeating: "25", count: layers))41"
    }

    private func lookups(in text: String) -> Int {
        let count = Lock(0)
        let mask = SecretMask { _ in
            count.withLock { $0 += 1 }
            return false
        }
        _ = mask.body(Data(text.utf8))
        return count.value
    }

    @Test(arguments: [0, 1, 4, 7, 8, 9, 12]) func looksUpEachNameABoundedNumberOfTimes(layers: Int) {
        let items = 4_000
        #expect(lookups(in: layeredForm(items: items, layers: layers)) < 60 * items)
    }

    /// A part whose header line is long, and names nothing.
    @Test(.timeLimit(.minutes(1))) func readsTheSpaceOfAHeaderLineOnce() {
        let line = "Content-Disposition: form-data;" + String(repeating: " ", count: 1 << 20)
        let body = Data("--x\r\n\(line)\r\n\r\ntext\r\n--x--\r\n".utf8)
        #expect(SecretMask.standard.body(body) == body)
    }

    @Test func doublesTheWorkForTwiceTheText() {
        let one = lookups(in: layeredForm(items: 4_000, layers: 9))
        let two = lookups(in: layeredForm(items: 8_000, layers: 9))
        #expect(two < 3 * one)
    }

    @Test func masksAValueWholeOnceTheBudgetIsSpent() {
        let text = layeredForm(items: 4_000, layers: 9)
        let shown = String(decoding: SecretMask.standard.body(Data((text + "&next=a%3Ds3cr3t").utf8)), as: UTF8.self)
        #expect(shown == "\(Self.name)=<masked>&next=<masked>")
    }

    @Test(arguments: 1...4) func leavesEncodedTextWithoutSecretsReadable(layers: Int) {
        var item = "https://example.com/?page=1&name=a b"
        for _ in 0..<layers { item = item.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
        let text = String(repeating: "next=\(item)&", count: 1000)
        #expect(String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self) == text)
    }

    /// Quotation marks that close nothing, so that the text after them is read again, and entities that may be marks.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "\"a", "\"a\"a", "\"=\"/", "\"a=\"b", "\"\\\\\"a", "\"\\\"a\"b", "&lt;a", "&quot;", "&amp;amp;", "&amp;lt;",
            "&#0000000", "\"&lt;\"a", "{&quot;[]}", "a=&lt;&", "&lt;\\\"a",
        ])
    func readsTextBetweenUnpairedMarksABoundedNumberOfTimes(piece: String) {
        let text = String(repeating: piece, count: (1 << 18) / piece.utf8.count)
        #expect(String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self) == text)
        #expect(SecretMask.standard.text(text) == text)
    }

    /// A mark whose backslash belongs to the value of a pair begins the rest of the text, as does the next one.
    @Test(.timeLimit(.minutes(1)), arguments: ["", "<p>", "{\"log\": "])
    func readsTextBetweenMarksOfPairsABoundedNumberOfTimes(start: String) {
        let text = start + String(repeating: "token=a\\\"", count: (1 << 18) / 9) + " x=\"y\""
        #expect(!String(decoding: SecretMask.standard.body(Data(text.utf8)), as: UTF8.self).contains("=a"))
        #expect(!SecretMask.standard.text(text).contains("=a"))
    }

    /// Strings that end an item, each in front of the entities of all that follow.
    @Test(.timeLimit(.minutes(1))) func readsTheEntitiesAfterStringsOfItemsABoundedNumberOfTimes() {
        let count = (1 << 20) / 9
        let items = "a=1&" + String(repeating: "pw=''&lt;", count: count)
        let expected = "a=1&" + String(repeating: "pw=<masked>&lt;", count: count)
        #expect(SecretMask.standard.body(Data(items.utf8)) == Data(expected.utf8))
        #expect(SecretMask.standard.url("/?\(items)") == "/?\(expected)")
    }

    @Test func looksUpNamesBetweenEntitiesInProportionToTheText() {
        let items = 4_000
        let line = "&lt;a&gt; \(Self.name)=c "
        let one = lookups(in: String(repeating: line, count: items))
        #expect(one > items && one < 10 * items)
        #expect(lookups(in: String(repeating: line, count: 2 * items)) < 3 * one)
    }

    @Test func looksUpNamesBetweenUnpairedMarksInProportionToTheText() {
        let items = 4_000
        let line = "\"\(Self.name)=\"b "
        let one = lookups(in: String(repeating: line, count: items))
        #expect(one > 0 && one < 3 * items)
        #expect(lookups(in: String(repeating: line, count: 2 * items)) < 3 * one)
    }
}
