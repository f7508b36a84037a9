#if FastJSON
import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

/// The decoder beside Foundation's: each type with each document, alone and inside of others, with each strategy.
@Suite(.timeLimit(.minutes(5))) struct FastJSONDecoderTests {
    private static let values = [
        "null", "true", "false", "0", "-0", "-0.0", "0.0", "0e5", "1", "-1", "1.0", "1e2", "1.5", "-1e0", "127", "128",
        "-128", "-129",
        "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616", "170141183460469231731687303715884105727", "9007199254740993", "9007199254740993.0",
        "9007199254740992.0", "1e18", "1e19", "123456789012345678", "1234567890123456789", "1.0000000000000001", "0.1",
        "3.14159265358979323846264338327950288", "1e-2", "12.340", "1e38", "3.5e38", "1e39", "1e-45", "1e-46",
        "16777217.0",
        "1.7976931348623157e308", "1e309", "-1e309", "1e200", "1e-200", "5e-324", "1e-400",
        "100000000000000000000000000000000000000000000000.5",
        #""""#, #""a""#, #""1""#, #""NaN""#, #""inf""#, #""-inf""#, #""\u0000""#, #""a\u0000b""#, #""\ud83d\ude00""#,
        #""é😀""#,
        #""\"\\\/\b\f\n\r\t""#, #""aGVsbG8=""#, #""aGVsbG8""#, #""aGVs bG8=""#, #""https://example.com/a?b=c""#,
        #""http://exa mple/ü""#, #""2026-11-22T22:18:57Z""#, #""2024-02-29T00:00:00Z""#, #""2023-02-29T00:00:00Z""#,
        #""2026-11-22T22:18:57+01:30""#, #""2026-11-22T22:18:57-0800""#, #""2026-11-22T22:18:57.123Z""#,
        #""2026-11-22""#,
        #""1599-12-31T23:59:59Z""#, #""0001-01-01T00:00:00Z""#, #""2016-12-31T23:59:60Z""#, #""2026-13-01T00:00:00Z""#,
        #""2026-04-31T24:00:00Z""#, #""2026-11-22t22:18:57z""#, #""2026-11-22T22:18:57+14:30""#, #""20261122T221857Z""#,
        "[]", "[1]", "[1,2,3]", "[null,1]", #"["a","b"]"#, "[[1],[2]]", "[true,2]", "{}", #"{"a":1}"#,
        #"{"a":null,"b":"x"}"#,
        #"{"a":1,"a":2}"#, #"{"b":1,"a":2,"b":3}"#, #"{"a":{"a":1}}"#, #"{"é":1}"#, #"{"e\u0301":2}"#, #"{"":1}"#,
        #"{"a\u0000":1,"a":2}"#, #"{"first_name":"x","_last_name_":"y","a_b":1,"aB":2,"URL_path":3,"a__b":4}"#,
        #"{"super":1}"#,
        #"{"name":"n","age":3,"nested":{"list":[1,2]}}"#, #"{"name":"n","age":300,"nested":{"list":[1,"2"]}}"#,
        #"{"name":7}"#, #"{"name":null,"age":null,"nested":null}"#,
    ]

    private static let texts =
        values + [
            "", " ", "nul", "tru", "01", "1.", ".5", "+1", "--1", "1e", "0x1", "NaN", "Infinity", "'a'", #""a"#,
            #""\x""#, #""\ud800""#,
            #""\ud800x""#, #""\udc00""#, "\"\n\"", "\"\u{1}\"", "[1,]", "[,1]", "[1 2]", "{,}", #"{"a"}"#, #"{"a":}"#,
            #"{"a":1,}"#,
            "{a:1}", "{1:1}", "[", "]", "{", "}", "[1]]", "[1] x", "// c\n1", "1 2", "\u{feff}[1]", "[1]\u{0}",
            " \t\r\n[1] \n",
        ]

    /// Documents around a value.
    private static let frames: [(String, String)] = [
        ("", ""), ("[", "]"), (#"{"a":"#, "}"), (#"[{"b":0,"a":["#, "]}]"),
    ]

    private struct Person: Decodable {
        struct Nested: Decodable { var list: [Int] }
        var name: String
        var age: UInt8?
        var nested: Nested?
    }

    private struct Names: Decodable {
        var firstName: String?
        var _lastName_: String?
        var aB: Int?
        var URLPath: Int?
        var urlPath: Int?
        var a: Int?
    }

    private class Base: Decodable, CustomDebugStringConvertible {
        var a: Int?
        var debugDescription: String { "\(String(describing: a))" }
    }

    private final class Derived: Base {
        var b: String?
        private enum CodingKeys: CodingKey { case b }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            b = try? container.decode(String.self, forKey: .b)
            try super.init(from: container.superDecoder())
        }
        override var debugDescription: String { "\(super.debugDescription) \(String(describing: b))" }
    }

    /// Every way in which a decoder is configured here.
    private static let configurations: [(String, @Sendable (JSONDecoder) -> Void)] = [
        ("defaults", { _ in }),
        ("seconds", { $0.dateDecodingStrategy = .secondsSince1970 }),
        ("milliseconds", { $0.dateDecodingStrategy = .millisecondsSince1970 }),
        ("iso8601", { $0.dateDecodingStrategy = .iso8601 }),
        (
            "formatter",
            {
                let formatter = DateFormatter()
                formatter.locale = Locale(identifier: "en_US_POSIX")
                formatter.dateFormat = "yyyy-MM-dd"
                formatter.timeZone = TimeZone(identifier: "UTC")
                $0.dateDecodingStrategy = .formatted(formatter)
            }
        ),
        (
            "custom date",
            {
                $0.dateDecodingStrategy = .custom { decoder in
                    guard decoder.codingPath.count < 3 else { throw CancellationError() }
                    return Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self) + 1)
                }
            }
        ),
        ("snake case", { $0.keyDecodingStrategy = .convertFromSnakeCase }),
        ("custom keys", { $0.keyDecodingStrategy = .custom { AnyKey(($0.last?.stringValue ?? "") + "a") } }),
        ("deferred data", { $0.dataDecodingStrategy = .deferredToData }),
        ("custom data", { $0.dataDecodingStrategy = .custom { Data("\($0.codingPath.count)".utf8) } }),
        (
            "non-conforming",
            {
                $0.nonConformingFloatDecodingStrategy = .convertFromString(
                    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "NaN")
            }
        ),
        ("top-level dictionary", { $0.assumesTopLevelDictionary = true }),
    ]

    private static func compare<T: Decodable>(
        _ type: T.Type, _ json: Data, _ configure: (JSONDecoder) -> Void, _ label: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let decoder = JSONDecoder.moyaDefault
        let foundation = JSONDecoder()
        configure(decoder)
        configure(foundation)
        let outcome = DecodingOutcome { try decoder.decode(type, from: json) }
        let expected = DecodingOutcome { try foundation.decode(type, from: json) }
        if outcome.text != expected.text {
            Issue.record(
                "\(label), \(type) of \(String(decoding: json, as: UTF8.self)): \(outcome.text), Foundation: \(expected.text)",
                sourceLocation: sourceLocation)
        }
    }

    /// Compares a type alone, optional, in arrays and dictionaries, and with its error caught, for each document.
    private static func compareEverywhere<T: Decodable>(
        _ type: T.Type, _ configure: (JSONDecoder) -> Void, _ label: String, texts: [String] = texts
    ) {
        for text in texts {
            for (before, after) in frames {
                let json = Data((before + text + after).utf8)
                compare(T.self, json, configure, label)
                compare([T?].self, json, configure, label)
                compare([[T]].self, json, configure, label)
                compare(Caught<T>.self, json, configure, label)
                compare(CaughtInside<T>.self, json, configure, label)
                compare([CaughtInside<T>].self, json, configure, label)
                compare(SortedDictionary<T>.self, json, configure, label)
            }
        }
    }

    /// A dictionary whose text does not depend on the hashes of its keys.
    private struct SortedDictionary<Value: Decodable>: Decodable, CustomDebugStringConvertible {
        let debugDescription: String

        init(from decoder: any Decoder) throws {
            // The first error depends on the order of the keys.
            let values = try? decoder.singleValueContainer().decode([String: Value?].self)
            debugDescription = values.map { "\($0.sorted { $0.key < $1.key })" } ?? "no dictionary"
        }
    }

    @Test func integersAreFoundations() {
        func compare<each T: Decodable>(_ type: repeat (each T).Type) {
            repeat Self.compareEverywhere(each type, { _ in }, "defaults")
        }
        compare(
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self)
    }

    @Test func largeIntegersAreFoundations() {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        Self.compareEverywhere(Int128.self, { _ in }, "defaults")
        Self.compareEverywhere(UInt128.self, { _ in }, "defaults")
    }

    @Test(arguments: ["defaults", "non-conforming"]) func numbersWithFractionsAreFoundations(
        configuration: String
    ) {
        let configure = Self.configuration(configuration)
        Self.compareEverywhere(Double.self, configure, configuration)
        Self.compareEverywhere(Float.self, configure, configuration)
        Self.compareEverywhere(Decimal.self, configure, configuration)
    }

    @Test func otherTypesAreFoundations() {
        func compare<each T: Decodable>(_ type: repeat (each T).Type) {
            repeat Self.compareEverywhere(each type, { _ in }, "defaults")
        }
        compare(
            Bool.self, String.self, URL.self, UUID.self, Optional<Int>.self, [Int].self, [String].self, [Double].self,
            Person.self,
            Names.self, Derived.self)
    }

    @Test(arguments: ["defaults", "seconds", "milliseconds", "iso8601", "formatter", "custom date"])
    func datesAreFoundations(configuration: String) {
        Self.compareEverywhere(Date.self, Self.configuration(configuration), configuration)
    }

    @Test(arguments: ["defaults", "deferred data", "custom data"]) func dataIsFoundations(configuration: String) {
        Self.compareEverywhere(Data.self, Self.configuration(configuration), configuration)
    }

    @Test(arguments: ["snake case", "custom keys", "top-level dictionary"])
    func keysAreFoundations(configuration: String) {
        let configure = Self.configuration(configuration)
        Self.compareEverywhere(Person.self, configure, configuration)
        Self.compareEverywhere(Names.self, configure, configuration)
        Self.compareEverywhere(Int.self, configure, configuration)
    }

    @Test func snakeCaseOfAnyKeyIsFoundations() {
        struct Keys: Decodable, CustomDebugStringConvertible {
            let debugDescription: String
            init(from decoder: any Decoder) throws {
                debugDescription = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue).sorted()
                    .description
            }
        }
        var random = SeededGenerator(seed: 18)
        let letters = [
            "_", "_", "_", "a", "b", "C", "D", "1", "2", "é", "ß", "İ", "ǆ", "-", ".", " ", "'", "日", "e\u{301}",
        ]
        for _ in 0..<2_000 {
            let key = (0..<Int.random(in: 0...9, using: &random)).map { _ in letters.randomElement(using: &random)! }
                .joined()
            Self.compare(Keys.self, Data("{\"\(key)\":1}".utf8), Self.configuration("snake case"), "snake case")
        }
    }

    @Test func bytesThatAreNoUTF8AreFoundations() {
        for bytes: [UInt8] in [
            [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xe2, 0x82, 0x22],
            [0xff], [0],
            [0xef, 0xbb, 0xbf, 0x31], [0xef, 0xbb, 0xbf], [0xff, 0xfe, 0x31, 0], [0xfe, 0xff, 0, 0x31], [0x31, 0],
            [0, 0x31],
            [0x31, 0, 0, 0], [0, 0, 0, 0x31], [0x5b, 0x31, 0x5d, 0], [0x5b, 0x31, 0x2c, 0x32, 0x5d, 0x80],
            [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
        ] {
            Self.compare(Int.self, Data(bytes), { _ in }, "defaults")
            Self.compare([Int].self, Data(bytes), { _ in }, "defaults")
            Self.compare(String.self, Data(bytes), { _ in }, "defaults")
            Self.compare(SortedDictionary<Int>.self, Data(bytes), { _ in }, "defaults")
        }
    }

    @Test func documentsWithChangedBytesAreFoundations() {
        let person =
            #"{"name":"Z\u00fcrich \"ü\"","age":42,"nested":{"list":[1,2.0,-3e0,40]},"a":[null,true,{"b":"x"}],"a_b":1e-3}"#
        var random = SeededGenerator(seed: 180)
        for _ in 0..<4_000 {
            var bytes = Array(person.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = bytes.indices.randomElement(using: &random)!
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(Array(#"{}[]",:0-9.eE\tfn"#.utf8).randomElement(using: &random)!, at: index)
                default: bytes[index] = bytes.randomElement(using: &random)!
                }
            }
            Self.compare(Person.self, Data(bytes), { _ in }, "changed")
            Self.compare(CaughtInside<[Int]>.self, Data(bytes), { _ in }, "changed")
        }
    }

    @Test func numbersOfAnyDigitsAreFoundations() {
        var random = SeededGenerator(seed: 1_800)
        func digits(_ count: ClosedRange<Int>) -> String {
            String((0..<Int.random(in: count, using: &random)).map { _ in "0123456789".randomElement(using: &random)! })
        }
        for _ in 0..<3_000 {
            var number =
                (Bool.random(using: &random) ? "-" : "")
                + (Bool.random(using: &random) ? "0" : "\(Int.random(in: 1...9, using: &random))" + digits(0...24))
            if Bool.random(using: &random) { number += "." + digits(1...30) }
            if Int.random(in: 0..<3, using: &random) == 0 { number += "e\(Int.random(in: -45...45, using: &random))" }
            let json = Data(number.utf8)
            Self.compare(Double.self, json, { _ in }, "number")
            Self.compare(Float.self, json, { _ in }, "number")
            Self.compare(Decimal.self, json, { _ in }, "number")
            Self.compare(Int.self, json, { _ in }, "number")
            Self.compare(UInt64.self, json, { _ in }, "number")
        }
    }

    @Test func numbersAtTheEdgesOfEveryIntegerAreFoundations() {
        func compare<each T: Decodable>(_ type: repeat (each T).Type, json: Data) {
            repeat Self.compare(each type, json, { _ in }, "edge")
        }
        var edges = ["9999999999999999999", "10000000000000000000", "999999999999999999", "1000000000000000000"]
        for width in [8, 16, 32, 53, 63, 64, 127, 128] {
            let power = pow(Decimal(2), width)
            // A decimal rounds the larger powers.
            edges += width < 127 ? (-2...2).map { "\(power + Decimal($0))" } : ["\(power)"]
        }
        for edge in edges + edges.map({ "-\($0)" }) {
            for text in [edge, "[\(edge)]"] {
                compare(
                    Int8.self, Int16.self, Int32.self, Int64.self, Int.self, UInt8.self, UInt16.self, UInt32.self,
                    UInt64.self, UInt.self, Double.self, Float.self, Decimal.self, [Int].self, [UInt64].self,
                    json: Data(text.utf8))
                guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { continue }
                compare(Int128.self, UInt128.self, json: Data(text.utf8))
            }
        }
    }

    private static func configuration(_ name: String) -> (JSONDecoder) -> Void {
        configurations.first { $0.0 == name }!.1
    }
}
#endif
