import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Values nested deeper than any stack allows, on a thread with a stack like those of Dispatch.
@Suite struct NestingTests {
    /// Never released: that would take a stack as deep as the value.
    ///
    /// `@unchecked`: the value is not changed.
    private final class Kept: @unchecked Sendable {
        let value: any Sendable
        private init(_ value: any Sendable) { self.value = value }

        static func forEver(_ value: any Sendable) -> Kept {
            let kept = Kept(value)
            _ = Unmanaged.passRetained(kept)
            return kept
        }
    }

    private static let deepest = 100_000

    private static func nested(_ depth: Int, _ wrap: (any Sendable) -> any Sendable) -> Kept {
        var value: any Sendable = 1
        for _ in 0..<depth { value = wrap(value) }
        return .forEver(value)
    }

    private static func arrays(_ depth: Int) -> Kept { nested(depth) { [$0] as [any Sendable] } }
    private static func dictionaries(_ depth: Int) -> Kept { nested(depth) { ["a": $0] as [String: any Sendable] } }
    private static func optionals(_ depth: Int) -> Kept { nested(depth) { Optional<any Sendable>.some($0) } }

    private func failure(_ encode: @escaping @Sendable () throws -> Void) async -> String? {
        await SmallStack.run {
            do {
                try encode()
                return nil
            } catch {
                return error.localizedDescription
            }
        }
    }

    @Test(arguments: [JSONSerialization.WritingOptions(), .prettyPrinted, .sortedKeys, .fragmentsAllowed])
    func deepParametersAreAnErrorOfJSONEncoding(_ options: JSONSerialization.WritingOptions) async {
        for kept in [Self.arrays(Self.deepest), Self.dictionaries(Self.deepest)] {
            let text = await failure {
                _ = try JSONEncoding(options: options).encode(
                    URLRequest(url: URL(string: "http://a/")!), with: ["a": kept.value])
            }
            #expect(text?.contains("128") == true)
        }
    }

    @Test(arguments: [JSONSerialization.WritingOptions(), .prettyPrinted])
    func parametersOfTheBoundAreWrittenAsJSON(_ options: JSONSerialization.WritingOptions) async {
        for kept in [Self.arrays(127), Self.dictionaries(127)] {
            let text = await failure {
                _ = try JSONEncoding(options: options).encode(
                    URLRequest(url: URL(string: "http://a/")!), with: ["a": kept.value])
            }
            #expect(text == nil)
        }
    }

    @Test func deepParametersAreAnErrorOfURLEncoding() async {
        for kept in [Self.arrays(Self.deepest), Self.dictionaries(Self.deepest)] {
            let text = await failure {
                _ = try URLEncoding.httpBody.encode(URLRequest(url: URL(string: "http://a/")!), with: ["a": kept.value])
            }
            #expect(text?.contains("128") == true)
        }
    }

    @Test func parametersOfTheBoundAreWrittenAsPairs() async {
        for kept in [Self.arrays(127), Self.dictionaries(127), Self.optionals(127)] {
            let text = await failure {
                _ = try URLEncoding.httpBody.encode(URLRequest(url: URL(string: "http://a/")!), with: ["a": kept.value])
            }
            #expect(text == nil)
        }
    }

    @Test func pairsLeaveOutValuesNestedTooDeep() async {
        let kept = Self.dictionaries(Self.deepest)
        let count = await SmallStack.run { URLEncoding.default.queryComponents(fromKey: "a", value: kept.value).count }
        #expect(count == 0)
    }

    // MARK: Encodable values

    /// Encodes itself within itself, a given number of times, without content.
    private struct Nested: Encodable, Sendable {
        enum Way: Sendable, CaseIterable { case keyed, unkeyed, single }
        enum Key: CodingKey { case a }

        let depth: Int
        let way: Way

        func encode(to encoder: any Encoder) throws {
            let inner = Nested(depth: depth - 1, way: way)
            switch way {
            case .keyed:
                var container = encoder.container(keyedBy: Key.self)
                if depth > 0 { try container.encode(inner, forKey: .a) } else { try container.encode(1, forKey: .a) }
            case .unkeyed:
                var container = encoder.unkeyedContainer()
                if depth > 0 { try container.encode(inner) } else { try container.encode(1) }
            case .single:
                var container = encoder.singleValueContainer()
                if depth > 0 { try container.encode(inner) } else { try container.encode(1) }
            }
        }
    }

    /// Makes containers within containers, with no recursion.
    private struct Containers: Encodable, Sendable {
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Nested.Key.self)
            for _ in 0..<depth { container = container.nestedContainer(keyedBy: Nested.Key.self, forKey: .a) }
            try container.encode(1, forKey: .a)
        }
    }

    @Test(arguments: Nested.Way.allCases) private func deepValuesAreAnErrorOfTheFormEncoder(_ way: Nested.Way) async {
        let text = await failure {
            _ = try URLEncodedFormEncoder().encode(["a": Nested(depth: Self.deepest, way: way)]) as String
        }
        #expect(text != nil)
    }

    @Test(arguments: Nested.Way.allCases) private func deepValuesAreAnErrorOfTheJSONEncoder(_ way: Nested.Way) async {
        let text = await failure {
            _ = try JSONEncoder.moyaDefault.encode(["a": Nested(depth: Self.deepest, way: way)])
        }
        #expect(text != nil)
    }

    @Test func deepContainersAreAnErrorOfTheJSONEncoder() async {
        let text = await failure { _ = try JSONEncoder.moyaDefault.encode(Containers(depth: 5_000)) }
        #expect(text != nil)
    }

    @Test(arguments: Nested.Way.allCases) private func valuesOfSomeDepthAreWrittenAsJSON(_ way: Nested.Way) async {
        let text = await failure { _ = try JSONEncoder.moyaDefault.encode(["a": Nested(depth: 120, way: way)]) }
        #expect(text == nil)
    }

    @Test(arguments: Nested.Way.allCases) private func theErrorOfADeepValueCanBePrinted(_ way: Nested.Way) async {
        let encoders: [@Sendable (Nested) throws -> Void] = [
            { _ = try JSONParameterEncoder.default.encode($0, into: URLRequest.to("http://a.test/")) },
            { _ = try URLEncodedFormParameterEncoder.default.encode($0, into: URLRequest.to("http://a.test/")) },
        ]
        for encode in encoders {
            let text = await failure { try encode(Nested(depth: Self.deepest, way: way)) }
            #expect(text?.contains("128 levels") == true)
        }
    }

    private static let jsonEncoders: [@Sendable () -> JSONParameterEncoder] = [
        { .sortedKeys }, { .prettyPrinted }, { .json(encoder: JSONEncoder()) },
        {
            let encoder = JSONEncoder.moyaDefault
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return .json(encoder: encoder)
        },
    ]

    @Test(arguments: jsonEncoders.indices, Nested.Way.allCases)
    private func deepValuesAreAnErrorWithAnySettings(_ index: Int, _ way: Nested.Way) async {
        let text = await failure {
            _ = try Self.jsonEncoders[index]().encode(
                Nested(depth: 500, way: way), into: URLRequest.to("http://a.test/"))
        }
        #expect(text?.contains("128 levels") == true)
    }

    @Test(arguments: jsonEncoders.indices) func valuesOfSomeDepthAreWrittenWithAnySettings(_ index: Int) async {
        let text = await failure {
            _ = try Self.jsonEncoders[index]()
                .encode(Nested(depth: 120, way: .keyed), into: URLRequest.to("http://a.test/"))
        }
        #expect(text == nil)
    }

    /// A value that no single pass can write, before one that is nested deeply.
    private struct Behind: Encodable, Sendable {
        enum Way: CaseIterable, Sendable { case notANumber, decimal, repeatedKey }
        enum Key: CodingKey { case a, b }

        let way: Way
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            switch way {
            case .notANumber: try container.encode(Double.nan, forKey: .a)
            case .decimal: try container.encode(Decimal.nan, forKey: .a)
            case .repeatedKey: for _ in 0..<2 { try container.encode(1, forKey: .a) }
            }
            try container.encode(Nested(depth: depth, way: .keyed), forKey: .b)
        }
    }

    @Test(arguments: Behind.Way.allCases)
    private func deepValuesBehindWhatOnePassCannotWriteAreAnError(_ way: Behind.Way) async {
        let text = await failure {
            let encoder = JSONEncoder()
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            _ = try JSONParameterEncoder(encoder: encoder)
                .encode(Behind(way: way, depth: 3_000), into: URLRequest.to("http://a.test/"))
        }
        #expect(text?.contains("128 levels") == true)
    }

    @Test func theErrorOfADeepValueNamesItsType() async {
        let error = #expect(throws: EncodingError.self) {
            try JSONEncoder.moyaDefault.encode(Nested(depth: 500, way: .keyed))
        }
        guard case .invalidValue(let value, _)? = error else { return }
        #expect(value as? Any.Type == Nested.self)
    }

    @Test func deepContainersAreAnErrorOfTheFormEncoder() async {
        let text = await failure { _ = try URLEncodedFormEncoder().encode(Containers(depth: 5_000)) as String }
        #expect(text != nil)
    }

    @Test(arguments: Nested.Way.allCases) private func valuesOfSomeDepthAreWrittenAsPairs(_ way: Nested.Way) async {
        let text = await failure {
            _ = try URLEncodedFormEncoder().encode(["a": Nested(depth: 120, way: way)]) as String
        }
        #expect(text == nil)
    }

    // MARK: What servers send

    @Test func deepHeaderFieldsAreReadWithoutRecursion() async {
        let quotes = String(repeating: "\"a\\\"", count: Self.deepest)
        let list = String(repeating: "Digest realm=\"\\\"\", ", count: Self.deepest)
        let count = await SmallStack.run {
            HeaderParameters.parse("a; b=" + quotes).count + AuthenticationChallenge.parse([list, quotes]).count
        }
        #expect(count == Self.deepest + 1)
    }

    @Test func deepDERIsReadOneLevelAtATime() async {
        let nested = Data(
            (0..<Self.deepest).flatMap { index -> [UInt8] in
                let length = (Self.deepest - index - 1) * 5
                return [0x30, 0x83, UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
            })
        let isCertificate = await SmallStack.run { CertificateForm.publicKey(ofCertificate: nested) != nil }
        #expect(!isCertificate)
    }

    @Test func deepPEMIsReadWithoutRecursion() async {
        let text = String(repeating: "-----BEGIN A-----", count: Self.deepest)
        let blocks = await SmallStack.run { PEMBlock.all(in: Data(text.utf8))?.count }
        #expect(blocks == nil)
    }
}
