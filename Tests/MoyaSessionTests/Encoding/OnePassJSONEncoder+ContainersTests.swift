import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

/// Random uses of an encoder's containers, compared with Foundation's encoder.
@Suite struct OnePassJSONEncoderContainersTests {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Catches an error, and then opens many containers one after the other.
    private struct CatchingValue: Encodable {
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws { throw CancellationError() }
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try? object.encode(Failing(), forKey: Key(stringValue: "failing"))
            for index in 0..<300 {
                var list = object.nestedUnkeyedContainer(forKey: Key(stringValue: "list\(index)"))
                try list.encode(index)
            }
        }
    }

    @Test func manyContainersAfterACaughtErrorAreNotNestedTooDeep() throws {
        let (ours, foundations) = (JSONEncoder.moyaDefault, JSONEncoder())
        for encoder in [ours, foundations] { encoder.outputFormatting = .sortedKeys }
        #expect(try ours.encode(CatchingValue()) == foundations.encode(CatchingValue()))
        #expect(
            try JSONEncoder.moyaDefault.encode(CatchingValue()).count == JSONEncoder().encode(CatchingValue()).count)
    }

    /// Encodes itself by random operations, the same ones each time.
    private struct Script: Encodable {
        let seed: UInt64
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var random = SeededGenerator(seed: seed)
            try run(encoder, depth, &random)
        }

        private func chance(_ sides: Int, _ random: inout SeededGenerator) -> Bool {
            Int.random(in: 0..<sides, using: &random) == 0
        }

        private func run(_ encoder: any Encoder, _ depth: Int, _ random: inout SeededGenerator) throws {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                var object = encoder.container(keyedBy: Key.self)
                try fill(&object, depth, &random)
                // Another container of the same value.
                guard chance(4, &random) else { return }
                var again = encoder.container(keyedBy: Key.self)
                try again.encode(depth, forKey: Key(stringValue: "again"))
            case 2, 3:
                var list = encoder.unkeyedContainer()
                try fill(&list, depth, &random)
            default:
                var single = encoder.singleValueContainer()
                try single.encode(value(depth, &random))
            }
        }

        private func value(_ depth: Int, _ random: inout SeededGenerator) -> Script {
            Script(seed: random.next(), depth: depth - 1)
        }

        /// A number; one in three is an error.
        private func number(_ random: inout SeededGenerator) -> Double { chance(3, &random) ? .nan : 1.5 }

        private func fill(
            _ object: inout KeyedEncodingContainer<Key>, _ depth: Int, _ random: inout SeededGenerator
        ) throws {
            for index in 0..<Int.random(in: 0..<6, using: &random) {
                let name = ["a", "é", "a/b", "\"", "\u{1}", ""].randomElement(using: &random) ?? ""
                let key = Key(stringValue: "\(name)\(index)")
                switch Int.random(in: 0..<(depth > 0 ? 12 : 6), using: &random) {
                case 0: try object.encodeNil(forKey: key)
                case 1: try object.encode(index, forKey: key)
                case 2: try object.encodeIfPresent(chance(2, &random) ? "/" : nil, forKey: key)
                case 3: try? object.encode(number(&random), forKey: key)
                case 4: try object.encode(index, forKey: Key(stringValue: "twice"))
                case 5: if chance(9, &random) { try object.encode(number(&random), forKey: key) }
                case 6:
                    var nested = object.nestedContainer(keyedBy: Key.self, forKey: key)
                    try fill(&nested, depth - 1, &random)
                case 7:
                    var nested = object.nestedUnkeyedContainer(forKey: key)
                    try fill(&nested, depth - 1, &random)
                case 8: try run(object.superEncoder(forKey: key), depth - 1, &random)
                default: try object.encode(value(depth, &random), forKey: key)
                }
            }
        }

        private func fill(
            _ list: inout any UnkeyedEncodingContainer, _ depth: Int, _ random: inout SeededGenerator
        ) throws {
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                switch Int.random(in: 0..<(depth > 0 ? 9 : 4), using: &random) {
                case 0: try list.encodeNil()
                case 1: try list.encode(list.count)
                case 2: try? list.encode(number(&random))
                case 3: try list.encode(contentsOf: ["x", "\u{2028}"])
                case 4:
                    var nested = list.nestedContainer(keyedBy: Key.self)
                    try fill(&nested, depth - 1, &random)
                case 5:
                    var nested = list.nestedUnkeyedContainer()
                    try fill(&nested, depth - 1, &random)
                case 6: try run(list.superEncoder(), depth - 1, &random)
                default: try list.encode(value(depth, &random))
                }
            }
        }
    }

    private enum Outcome: Equatable {
        case json(NSObject?, bytes: Int)
        case error(String)
    }

    private func outcome(_ script: Script, by encoder: JSONEncoder) -> Outcome {
        do {
            let data = try encoder.encode(script)
            // Foundation's order of members differs.
            let value = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            return .json(value as? NSObject, bytes: data.count)
        } catch {
            return .error("\(error)")
        }
    }

    @Test func randomUsesHaveFoundationsOutcome() {
        var random = SeededGenerator(seed: 0x4A53_4F4E)
        var onePass = 0
        for number in 0..<10_000 {
            let script = Script(seed: random.next(), depth: 4)
            #expect(outcome(script, by: .moyaDefault) == outcome(script, by: JSONEncoder()), "script \(number)")
            if case .some(.some) = try? JSONValueWriter(userInfo: [:]).data(of: script) { onePass += 1 }
        }
        #expect((2_000..<10_000).contains(onePass))
    }

    // MARK: Containers that outlive their turn

    private struct Custom: Encodable {
        let body: (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private func expectSame(
        _ body: @escaping (any Encoder) throws -> Void, _ location: SourceLocation = #_sourceLocation
    ) throws {
        func members(_ encoder: JSONEncoder) throws -> NSDictionary? {
            try JSONSerialization.jsonObject(with: encoder.encode(["value": Custom(body: body)])) as? NSDictionary
        }
        #expect(try members(.moyaDefault) == members(JSONEncoder()), sourceLocation: location)
    }

    private func names(_ path: [any CodingKey]) -> [String] { path.map(\.stringValue) }

    @Test func loopUntilAnEarlierContainerIsFullEnds() throws {
        try expectSame { encoder in
            var object = encoder.container(keyedBy: Key.self)
            var list = object.nestedUnkeyedContainer(forKey: Key(stringValue: "list"))
            try object.encode(1, forKey: Key(stringValue: "a"))
            while list.count < 3 { try list.encode(0) }
        }
    }

    @Test func countAndPathOfAnEarlierContainerAreRead() throws {
        try expectSame { encoder in
            var object = encoder.container(keyedBy: Key.self)
            var list = object.nestedUnkeyedContainer(forKey: Key(stringValue: "list"))
            try list.encode(1)
            try object.encode(list.count, forKey: Key(stringValue: "count"))
            try object.encode(names(list.codingPath), forKey: Key(stringValue: "path"))
        }
    }

    @Test func parentIsUsedWhileItsElementIsEncoded() throws {
        try expectSame { encoder in
            var list = encoder.unkeyedContainer()
            let parent = list
            try list.encode(
                Custom { element in
                    var parent = parent
                    try parent.encode(7)
                    try parent.count.encode(to: element)
                })
        }
    }

    @Test func equalKeysOfDifferentBytesAreOne() throws {
        try expectSame { encoder in
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(1, forKey: Key(stringValue: "\u{E9}"))
            try object.encode(2, forKey: Key(stringValue: "e\u{301}"))
        }
    }

    @Test(arguments: [16, 17, 18, 40]) func lateKeyReplacesAnEarlyOneOfMany(count: Int) throws {
        try expectSame { encoder in
            var object = encoder.container(keyedBy: Key.self)
            for index in 0..<count { try object.encode(index, forKey: Key(stringValue: "\(index)")) }
            try object.encode(-1, forKey: Key(stringValue: "\(count / 2)"))
        }
    }

    private struct Path: Encodable {
        func encode(to encoder: any Encoder) throws {
            try encoder.codingPath.map(\.stringValue).joined(separator: "/").encode(to: encoder)
        }
    }

    private enum Choice: Encodable { case one(Path, named: Path) }

    @Test func pathsAreFoundations() throws {
        try expectSame { encoder in
            var object = encoder.container(keyedBy: Key.self)
            try object.encode([Choice.one(Path(), named: Path())], forKey: Key(stringValue: "choices"))
            var nested = object.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "nested"))
            try nested.encode(names(nested.codingPath), forKey: Key(stringValue: "path"))
            try ["a": Path()].encode(to: nested.superEncoder())
        }
    }

    /// Arrays within arrays.
    private indirect enum Nest: Encodable {
        case end, around(Nest)

        init(_ depth: Int) { self = (1..<depth).reduce(.end) { nest, _ in .around(nest) } }

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            if case .around(let nest) = self { try list.encode(nest) }
        }
    }

    @Test(arguments: [(1, true), (128, true), (129, true), (130, false), (512, false)])
    func depthIsBoundedLikeThatOfParameters(depth: Int, isWritten: Bool) async {
        let text = await SmallStack.run { () -> String? in
            do { return String(decoding: try JSONEncoder.moyaDefault.encode(Nest(depth)), as: UTF8.self) } catch {
                return nil
            }
        }
        let (open, close) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
        #expect(text == (isWritten ? open + close : nil))
    }
}
