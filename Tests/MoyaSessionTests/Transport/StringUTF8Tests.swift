import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct StringUTF8Tests {
    @Test(arguments: ["", "a", "plain text of more than fifteen bytes", "Grüße 🙂", "\u{FEFF}mark", "\u{FFFD}", "\0"])
    func validBytesBecomeTheirText(_ text: String) {
        #expect(String(validUTF8: Array(text.utf8)) == text)
        #expect(String(validUTF8: text.utf8) == text)
        #expect(String(validUTF8: Data(text.utf8)[...]) == text)
    }

    @Test(
        arguments: [
            [0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x61, 0xFF, 0x62],
            [0xE2, 0x82],
        ] as [[UInt8]])
    func invalidBytesAreRefused(_ bytes: [UInt8]) {
        #expect(String(validUTF8: bytes) == nil)
        #expect(String(validUTF8: Array("a long text that does not fit a word: ".utf8) + bytes) == nil)
    }

    /// The replacement character has three bytes, as many as some of the replaced sequences.
    @Test func invalidBytesAsLongAsTheirReplacementAreRefused() {
        #expect(String(validUTF8: [0xE2, 0x82, 0x28] as [UInt8]) == nil)
        #expect(String(validUTF8: [0xF0, 0x9F, 0x99] as [UInt8]) == nil)
    }

    @Test func discontiguousBytesAreDecodedEqually() {
        let bytes: [UInt8] = Array("Grüße".utf8)
        #expect(String(validUTF8: bytes.lazy.map { $0 }) == "Grüße")
        #expect(String(validUTF8: (bytes + [0xFF]).lazy.map { $0 }) == nil)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func agreesWithTheStandardLibrary() {
        var generator = SeededGenerator(seed: 8)
        let pool: [UInt8] = [0x41, 0x7F, 0x80, 0xBF, 0xC2, 0xE2, 0x82, 0xAC, 0xED, 0xA0, 0xF0, 0x9F, 0x99, 0x82, 0xFF]
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                pool.randomElement(using: &generator)!
            }
            #expect(String(validUTF8: bytes) == String(validating: bytes, as: UTF8.self))
        }
    }
}
