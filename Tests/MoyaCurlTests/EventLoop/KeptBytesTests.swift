#if os(Linux)
import MoyaTesting
import Testing

@testable import MoyaCurl

@Suite struct KeptBytesTests {
    private func keep(_ text: String, in kept: inout KeptBytes, isWithinOutput: Bool = false) {
        Array(text.utf8).withUnsafeBytes { kept.append($0, isWithinOutput: isWithinOutput) }
    }

    @Test func returnsItsBytesInOrderInPiecesOfAnySize() {
        var random = SeededGenerator(seed: 17)
        var kept = KeptBytes()
        for word in ["one", "", "three", "5"] { keep(word, in: &kept) }
        var text = ""
        while !kept.isEmpty {
            kept.take { bytes in
                let count = Int.random(in: 0...bytes.count, using: &random)
                text += String(decoding: bytes.prefix(count), as: UTF8.self)
                return (count, false)
            }
        }
        #expect(text == "onethree5")
    }

    @Test func asksADecoderForTheRestOfItsOutput() {
        var kept = KeptBytes()
        keep("ab", in: &kept, isWithinOutput: true)
        kept.take { ($0.count, true) }
        #expect(!kept.isEmpty)
        kept.take { bytes in
            #expect(bytes.isEmpty)
            return (0, false)
        }
        #expect(kept.isEmpty)
    }
}
#endif
