import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Without options, ``JSONWriter`` writes plain values; its output must equal Foundation's.
@Suite struct JSONWriterTests {
    static let values: [any Sendable] = [
        "", "text", "a/b\"\\\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}\u{2028}é😀", 0, -7, Int8(3), Int64.min, UInt64.max, true,
        false,
        1.0, -0.0, 0.1, 0.1 + 0.2, 1e16, 1e20, 1e-7, Double.leastNonzeroMagnitude, 12345678901234567.0,
        Double.greatestFiniteMagnitude,
        Float(1.1), Float(2), NSNull(), NSNumber(value: 3), NSNumber(value: -3), NSNumber(value: 2.5),
        NSNumber(value: true), NSNumber(value: UInt64.max), [1, 2], ["a", "b"], [1.5], ["a": 1.5], ["a": "b"],
        [] as [Int], [:] as [String: Int], [[["x"]]], [1, "a", NSNull(), [true]] as [any Sendable], ["a": [["b": 1]]],
    ]

    @Test(arguments: values.indices) func plainValueIsWrittenAsFoundationDoes(index: Int) throws {
        let object = ["k": Self.values[index]]
        let written = try #require(JSONWriter.data(of: object))
        #if canImport(Darwin)
        // Foundation spells some numbers otherwise there; it must read the same.
        let read = try #require(try JSONSerialization.jsonObject(with: written) as? NSDictionary)
        let expected = try JSONSerialization.jsonObject(with: JSONSerialization.data(withJSONObject: object))
        #expect(read == expected as? NSDictionary)
        #else
        #expect(try written == JSONSerialization.data(withJSONObject: object))
        #endif
    }

    @Test func everyPropertyOfADictionaryIsWritten() throws {
        let object: [String: any Sendable] = Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", $0) })
        let read = try JSONSerialization.jsonObject(with: try #require(JSONWriter.data(of: object)))
        #expect(read as? [String: Int] == object as? [String: Int])
    }

    @Test func arrayCanBeTheRoot() {
        #expect(JSONWriter.data(of: [1, 2]) == Data("[1,2]".utf8))
        #expect(JSONWriter.data(of: ["a", true] as [Any]) == Data(#"["a",true]"#.utf8))
    }

    @Test func doublesReadAsTheyWere() throws {
        var generator = SeededGenerator(seed: 16)
        for _ in 0..<1_000 {
            let double = Double(bitPattern: generator.next())
            guard double.isFinite else { continue }
            let text = String(decoding: try #require(JSONWriter.data(of: [double])), as: UTF8.self)
            #expect(Double(text.dropFirst().dropLast()) == double)
        }
    }

    static let others: [any Sendable] = [
        Double.nan, -Double.infinity, Float.nan, Date(), Data(), Decimal(1), NSDecimalNumber(value: 1), Optional(1),
        Character("c"), [1: 2], "sub"[...], NSNumber(value: Double.infinity), [Date()], ["a": Double.nan],
    ]

    @Test(arguments: others.indices) func otherValuesAreLeftToFoundation(index: Int) {
        #expect(JSONWriter.data(of: ["k": Self.others[index]]) == nil)
    }

    @Test(arguments: ["text", 1, Date()] as [any Sendable]) func otherRootsAreLeftToFoundation(root: any Sendable) {
        #expect(JSONWriter.data(of: root) == nil)
    }

    @Test func deepNestingIsNotWritten() {
        var object: [any Sendable] = []
        for _ in 0..<300 { object = [object] }
        #expect(JSONWriter.data(of: object) == nil)
    }
}
