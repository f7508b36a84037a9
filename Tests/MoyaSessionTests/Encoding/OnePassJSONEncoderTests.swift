import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

/// The default encoder writes what Foundation's writes, type by type.
@Suite struct OnePassJSONEncoderTests {
    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder.moyaDefault.encode(value), as: UTF8.self)
    }

    private func isWrittenInOnePass(_ value: some Encodable) -> Bool {
        if case .some(.some) = try? JSONValueWriter(userInfo: [:]).data(of: value) { true } else { false }
    }

    /// Expects the same bytes as Foundation's, in one pass.
    private func expectSame(_ value: some Encodable, _ location: SourceLocation = #_sourceLocation) throws {
        let theirs = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        #expect(try text(value) == theirs, sourceLocation: location)
        #expect(isWrittenInOnePass(value), sourceLocation: location)
    }

    /// Expects an error with Foundation's description.
    private func expectSameError(_ value: some Encodable, _ location: SourceLocation = #_sourceLocation) {
        func failure(_ encoder: JSONEncoder) -> String {
            do { return String(decoding: try encoder.encode(value), as: UTF8.self) } catch { return "\(error)" }
        }
        #expect(failure(.moyaDefault) == failure(JSONEncoder()), sourceLocation: location)
        #expect(throws: (any Error).self, sourceLocation: location) { try JSONEncoder.moyaDefault.encode(value) }
    }

    // MARK: Scalars

    @Test func eachCharacterIsEscapedAlike() throws {
        for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{FFFD}", "\u{1F600}"] {
            try expectSame(["<\(Character(scalar))>"])
        }
    }

    @Test func numbersOfEachWidthReachTheirLimits() throws {
        func expectLimits<T: FixedWidthInteger & Encodable>(_: T.Type) throws { try expectSame([T.min, 0, T.max]) }
        try expectLimits(Int.self)
        try expectLimits(Int8.self)
        try expectLimits(Int16.self)
        try expectLimits(Int32.self)
        try expectLimits(Int64.self)
        try expectLimits(UInt.self)
        try expectLimits(UInt8.self)
        try expectLimits(UInt16.self)
        try expectLimits(UInt32.self)
        try expectLimits(UInt64.self)
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            try expectLimits(Int128.self)
            try expectLimits(UInt128.self)
        }
    }

    @Test func fractionsAreShortest() throws {
        try expectSame([0.1, -0.0, 1, 1e20, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.125] as [Double])
        try expectSame([0.1, -0.0, 1, 1e20, 1e-7, 16_777_216, .leastNonzeroMagnitude] as [Float])
        try expectSame(["1.5", "-0.000001", "12345678901234567890123456789"].compactMap { Decimal(string: $0) })
    }

    @Test func valuesOfFoundationHaveItsForms() throws {
        try expectSame([URL(string: "https://a.example/b?c=d#e")])
        try expectSame([Data([0, 1, 0xFF, 0xFB]), Data()])
        try expectSame([Date(timeIntervalSinceReferenceDate: 0.25), .distantPast])
        try expectSame([UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")])
    }

    @Test func scalarsAtTheTopAreWritten() throws {
        try expectSame("a/b")
        try expectSame(7)
        try expectSame(true)
        try expectSame(2.5)
        try expectSame(Int?.none)
        try expectSame(URL(string: "https://a.example/"))
        try expectSame([Int]())
        try expectSame([String: Int]())
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func numbersThatJSONLacksAreErrors(value: Double) {
        expectSameError(["a": [value]])
        expectSameError(["a": [Float(value)]])
    }

    // MARK: Objects

    private struct Order: Encodable {
        struct Line: Encodable { var name: String, amount: Double?, isGift: Bool }
        var number: Int
        var lines: [Line]
        var note: String?
        var tags: [String: [Int]]
    }

    @Test func membersKeepTheirOrder() throws {
        let order = Order(
            number: 1,
            lines: [.init(name: "Tee", amount: 2.5, isGift: false), .init(name: "", amount: nil, isGift: true)],
            note: nil, tags: ["a": [1, 2]])
        let expected =
            #"{"number":1,"lines":[{"name":"Tee","amount":2.5,"isGift":false},{"name":"","isGift":true}],"#
            + #""tags":{"a":[1,2]}}"#
        #expect(try text(order) == expected)
        #expect(isWrittenInOnePass(order))
    }

    private class Base: Encodable {
        var first = 1
    }

    private final class Derived: Base {
        enum Keys: CodingKey { case second }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(2, forKey: .second)
        }
    }

    @Test func superclassSharesTheObject() throws {
        #expect(try text(Derived()) == #"{"first":1,"second":2}"#)
        #expect(isWrittenInOnePass(Derived()))
    }

    /// Calls a closure to encode itself.
    private struct Custom: Encodable {
        enum Keys: String, CodingKey { case a, b }
        var body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    @Test func nestedContainersAndSuperEncodersAreWritten() throws {
        let value = Custom { encoder in
            var object = encoder.container(keyedBy: Custom.Keys.self)
            var list = object.nestedUnkeyedContainer(forKey: .a)
            try list.encode(1)
            var inner = list.nestedContainer(keyedBy: Custom.Keys.self)
            try inner.encodeNil(forKey: .b)
            try list.encode(contentsOf: ["x", "y"])
            _ = list.superEncoder()
            try [3].encode(to: object.superEncoder())
        }
        #expect(try text(value) == #"{"a":[1,{"b":null},"x","y",{}],"super":[3]}"#)
        #expect(isWrittenInOnePass(value))
    }

    @Test func valueThatEncodesNothingIsAnEmptyObject() throws {
        let nothing = Custom { _ in }
        try expectSame(["a": nothing])
        try expectSame([nothing, nothing])
        expectSameError(nothing)
    }

    @Test func encodersKnowTheirPathAndTheUsersValues() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "k"))
        let encoder = JSONEncoder.moyaDefault
        encoder.userInfo[key] = "v"
        let value = Custom { encoder in
            let path = encoder.codingPath.map(\.stringValue).joined(separator: "/")
            try "\(path) \(encoder.userInfo[key] ?? "")".encode(to: encoder)
        }
        let json = String(decoding: try encoder.encode(["a": [0: value]]), as: UTF8.self)
        #expect(json == #"{"a":{"0":"a\/0 v"}}"#)
    }

    // MARK: What Foundation writes

    @Test func laterValueOfAKeyReplacesTheEarlier() throws {
        let value = Custom { encoder in
            var object = encoder.container(keyedBy: Custom.Keys.self)
            try object.encode(1, forKey: .a)
            try object.encode(2, forKey: .a)
        }
        #expect(try text(value) == #"{"a":2}"#)
        #expect(!isWrittenInOnePass(value))
    }

    @Test func returnToAnEarlierContainerIsWritten() throws {
        let value = Custom { encoder in
            var object = encoder.container(keyedBy: Custom.Keys.self)
            var list = object.nestedUnkeyedContainer(forKey: .a)
            try object.encode(1, forKey: .b)
            try list.encode(2)
        }
        let written = try JSONSerialization.jsonObject(with: try JSONEncoder.moyaDefault.encode(value))
        #expect(written as? NSDictionary == ["a": [2], "b": 1])
        #expect(!isWrittenInOnePass(value))
    }

    @Test func lateUseOfASuperEncoderIsWritten() throws {
        let value = Custom { encoder in
            var object = encoder.container(keyedBy: Custom.Keys.self)
            let late = object.superEncoder()
            try object.encode(1, forKey: .b)
            try 2.encode(to: late)
        }
        let written = try JSONSerialization.jsonObject(with: try JSONEncoder.moyaDefault.encode(value))
        #expect(written as? NSDictionary == ["super": 2, "b": 1])
        #expect(!isWrittenInOnePass(value))
    }

    private struct Refused: Error {}

    @Test func caughtErrorLeavesNothingHalfWritten() throws {
        let value = Custom { encoder in
            var object = encoder.container(keyedBy: Custom.Keys.self)
            try? object.encode(
                [Custom { _ in throw Refused() }], forKey: .a)
            try object.encode(1, forKey: .b)
        }
        let written = try JSONSerialization.jsonObject(with: try JSONEncoder.moyaDefault.encode(value))
        #expect((written as? NSDictionary)?["b"] as? Int == 1)
        #expect(!isWrittenInOnePass(value))
    }

    @Test func caughtErrorOfANumberLeavesNothingHalfWritten() throws {
        let value = Custom { encoder in
            var object = encoder.container(keyedBy: Custom.Keys.self)
            try? object.encode(Double.nan, forKey: .a)
            var list = object.nestedUnkeyedContainer(forKey: .b)
            try? list.encode(Float.infinity)
            try list.encode(1)
        }
        let written = try JSONSerialization.jsonObject(with: try JSONEncoder.moyaDefault.encode(value))
        #expect(written as? NSDictionary == ["b": [1]])
        #expect(!isWrittenInOnePass(value))
    }

    @Test func errorOfAValueIsItsOwn() {
        #expect(throws: Refused.self) { try JSONEncoder.moyaDefault.encode([Custom { _ in throw Refused() }]) }
    }

    @Test(arguments: [16, 17, 600])
    func objectsOfManyKeysAreWhole(count: Int) throws {
        let entries = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", $0) })
        let custom = Custom { encoder in
            var object = encoder.container(keyedBy: AnyKey.self)
            for (key, value) in entries { try object.encode(value, forKey: AnyKey(stringValue: key)) }
        }
        #expect(isWrittenInOnePass(entries))
        #expect(isWrittenInOnePass(custom))
        #expect(try JSONDecoder().decode([String: Int].self, from: JSONEncoder.moyaDefault.encode(entries)) == entries)
        #expect(try JSONDecoder().decode([String: Int].self, from: JSONEncoder.moyaDefault.encode(custom)) == entries)
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test func settingsAreFoundations() throws {
        struct Value: Encodable { var someDate = Date(timeIntervalSince1970: 1), someData = Data([1]), limit = 1.5 }
        func text(_ configure: (JSONEncoder) -> Void) throws -> String {
            let encoder = JSONEncoder.moyaDefault
            encoder.outputFormatting = .sortedKeys
            configure(encoder)
            return String(decoding: try encoder.encode(Value()), as: UTF8.self)
        }
        #expect(try text { _ in } == #"{"limit":1.5,"someData":"AQ==","someDate":-978307199}"#)
        #expect(try text { $0.keyEncodingStrategy = .convertToSnakeCase }.contains(#""some_data":"#))
        #expect(try text { $0.dateEncodingStrategy = .secondsSince1970 }.contains(#""someDate":1}"#))
        #expect(try text { $0.dataEncodingStrategy = .deferredToData }.contains(#""someData":[1]"#))
        #expect(try text { $0.outputFormatting = [.prettyPrinted, .sortedKeys] }.contains("\n  "))
    }

    @Test func eachSettingAloneIsFollowed() throws {
        let encoder = JSONEncoder.moyaDefault
        encoder.outputFormatting = .withoutEscapingSlashes
        #expect(String(decoding: try encoder.encode(["a/b"]), as: UTF8.self) == #"["a/b"]"#)
        let floats = JSONEncoder.moyaDefault
        floats.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "n")
        #expect(String(decoding: try floats.encode([Double.nan]), as: UTF8.self) == #"["n"]"#)
    }

    // MARK: Random values

    /// A value of random shape.
    private indirect enum Tree: Encodable {
        case null, bool(Bool), int(Int), fraction(Double), string(String), date(Date), data(Data), url(URL)
        case list([Tree]), dictionary([String: Tree]), object([(String, Tree)]), single(Tree)

        init(_ random: inout SeededGenerator, depth: Int = 0) {
            switch Int.random(in: 0..<(depth < 5 ? 12 : 8), using: &random) {
            case 0: self = .null
            case 1: self = .bool(.random(using: &random))
            case 2: self = .int(.random(in: .min ... .max, using: &random))
            case 3: self = .fraction(Double(bitPattern: .random(in: 0...(0x7FE << 52), using: &random)))
            case 4: self = .string(Self.text(&random))
            case 5: self = .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random)))
            case 6:
                self = .data(
                    Data((0..<Int.random(in: 0..<9, using: &random)).map { _ in .random(in: 0...255, using: &random) }))
            case 7:
                self = URL(string: "https://a.example/\(Int.random(in: 0..<99, using: &random))").map(Tree.url) ?? .null
            case 8: self = .list(Self.few(&random, depth))
            case 9:
                self = .dictionary(
                    Dictionary(Self.few(&random, depth).map { (Self.text(&random), $0) }) { $1 })
            case 10:
                self = .object(Self.few(&random, depth).enumerated().map { ("\($0)\(Self.text(&random))", $1) })
            default: self = .single(Tree(&random, depth: depth + 1))
            }
        }

        private static func few(_ random: inout SeededGenerator, _ depth: Int) -> [Tree] {
            let count = Int.random(in: 0..<6, using: &random)
            var trees: [Tree] = []
            for _ in 0..<count { trees.append(Tree(&random, depth: depth + 1)) }
            return trees
        }

        private static func text(_ random: inout SeededGenerator) -> String {
            let scalars = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                Unicode.Scalar(UInt32.random(in: 0..<0x800, using: &random)) ?? "?"
            }
            return String(String.UnicodeScalarView(scalars))
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .null:
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            case .bool(let value): try value.encode(to: encoder)
            case .int(let value): try value.encode(to: encoder)
            case .fraction(let value): try value.encode(to: encoder)
            case .string(let value): try value.encode(to: encoder)
            case .date(let value): try single(value, encoder)
            case .data(let value): try single(value, encoder)
            case .url(let value): try single(value, encoder)
            case .list(let trees): try trees.encode(to: encoder)
            case .dictionary(let trees): try trees.encode(to: encoder)
            case .object(let members):
                var container = encoder.container(keyedBy: AnyKey.self)
                for (key, tree) in members { try container.encode(tree, forKey: AnyKey(stringValue: key)) }
            case .single(let tree): try single(tree, encoder)
            }
        }

        private func single(_ value: some Encodable, _ encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @Test func randomValuesReadAsFoundationsDo() throws {
        var random = SeededGenerator(seed: 0x4A53_4F4E)
        for number in 0..<2_000 {
            let tree = [Tree(&random)]
            let ours = try JSONEncoder.moyaDefault.encode(tree)
            let theirs = try JSONEncoder().encode(tree)
            #expect(isWrittenInOnePass(tree))
            #expect(
                try JSONSerialization.jsonObject(with: ours) as? NSArray
                    == JSONSerialization.jsonObject(with: theirs) as? NSArray, "value \(number)")
            #expect(ours.count == theirs.count, "value \(number)")
        }
    }
}
