import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct DeflateEncoderTests {
    private static let text = Data(String(repeating: "{\"name\": \"Kettle\", \"price\": 12.5},\n", count: 200).utf8)

    @Test func noBytesMakeAnEmptyBlock() {
        #expect(DeflateEncoder.deflate(Data()) == [3, 0])
    }

    // As the zlib library has it for the same bytes, with the fixed codes.
    @Test func knownInputGivesKnownBytes() {
        #expect(DeflateEncoder.deflate(Data("a".utf8)) == [0x4B, 0x04, 0x00])
        #expect(DeflateEncoder.zlib(Data("a".utf8)).suffix(4) == Data([0, 0x62, 0, 0x62]))
        #expect(DeflateEncoder.gzip(Data("a".utf8)).suffix(8) == Data([0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0]))
    }

    @Test func textThatRepeatsItselfBecomesSmall() {
        #expect(DeflateEncoder.deflate(Self.text).count < Self.text.count / 20)
    }

    @Test func bytesComeBackAsTheyWere() throws {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<300 {
            let count = Int.random(in: 0...(round < 290 ? 2_000 : 100_000), using: &generator)
            let alphabet = UInt8.random(in: 1...255, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...alphabet, using: &generator) }
            #expect(try inflated(DeflateEncoder.deflate(Data(bytes))) == bytes, "round \(round)")
        }
        #expect(try inflated(DeflateEncoder.deflate(Self.text)) == Array(Self.text))
        #expect(try inflated(DeflateEncoder.deflate(Data(count: 70_000))) == Array(repeating: 0, count: 70_000))
    }

    @Test func sliceIsCompressedFromItsStart() throws {
        #expect(try inflated(DeflateEncoder.deflate(Data("xxhello".utf8).dropFirst(2))) == Array("hello".utf8))
    }

    private struct Malformed: Error {}

    /// A reader of one block with the fixed codes, written from RFC 1951 and not from the encoder.
    private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        func bit() throws -> Int {
            guard position < bytes.count * 8 else { throw Malformed() }
            defer { position += 1 }
            return Int(bytes[position / 8] >> (position % 8)) & 1
        }
        func number(_ count: Int) throws -> Int { try (0..<count).reduce(0) { try $0 | bit() << $1 } }
        func code(_ count: Int) throws -> Int { try (0..<count).reduce(0) { sum, _ in try sum << 1 | bit() } }
        guard try bit() == 1, try number(2) == 1 else { throw Malformed() }
        while true {
            var symbol = try code(7)
            if symbol < 24 {
                symbol += 256
            } else {
                symbol = symbol << 1 | (try bit())
                if symbol < 192 {
                    symbol -= 48
                } else if symbol < 200 {
                    symbol += 88
                } else {
                    symbol = (symbol << 1 | (try bit())) - 256
                }
            }
            if symbol == 256 { return output }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            let length: Int
            switch symbol {
            case 257..<265: length = symbol - 254
            case 285: length = 258
            default:
                let extra = (symbol - 261) / 4
                length = (4 + (symbol - 265) % 4) << extra + 3 + (try number(extra))
            }
            let distanceCode = try code(5)
            let distance: Int
            if distanceCode < 4 {
                distance = distanceCode + 1
            } else {
                let extra = distanceCode / 2 - 1
                distance = (2 + distanceCode % 2) << extra + 1 + (try number(extra))
            }
            guard distance <= output.count else { throw Malformed() }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }
}
