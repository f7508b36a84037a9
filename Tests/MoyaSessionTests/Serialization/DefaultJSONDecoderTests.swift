import Foundation
import Testing

@testable import MoyaSession

/// Foundation's semantics, type by type, of whatever the default decoder is.
@Suite(.timeLimit(.minutes(5))) struct DefaultJSONDecoderTests {
    private func decode<T: Decodable>(
        _ type: T.Type, _ json: String, _ configure: (JSONDecoder) -> Void = { _ in }
    ) throws -> T {
        let decoder = JSONDecoder.moyaDefault
        configure(decoder)
        return try decoder.decode(type, from: Data(json.utf8))
    }

    private func decode<T: Decodable>(_ json: String, _ configure: (JSONDecoder) -> Void = { _ in }) throws -> T {
        try decode(T.self, json, configure)
    }

    /// The error's case and coding path.
    private func error<T: Decodable>(_ type: T.Type, _ json: String) -> String {
        do {
            return "\(try decode(type, json))"
        } catch DecodingError.typeMismatch(let type, let context) {
            return "mismatch \(type) \(path(context.codingPath))"
        } catch DecodingError.valueNotFound(let type, let context) {
            return "null \(type) \(path(context.codingPath))"
        } catch DecodingError.keyNotFound(let key, let context) {
            return "missing \(key.stringValue) \(path(context.codingPath))"
        } catch DecodingError.dataCorrupted(let context) {
            return "corrupted \(path(context.codingPath))"
        } catch {
            return "\(error)"
        }
    }

    private func path(_ keys: [any CodingKey]) -> String {
        "/" + keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
    }

    @Test func eachAccessMakesADecoder() {
        let decoder = JSONDecoder.moyaDefault
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard case .useDefaultKeys = JSONDecoder.moyaDefault.keyDecodingStrategy else { Issue.record("shared"); return }
    }

    @Test func traitDecidesTheDecoder() {
        #if FastJSON
        #expect(JSONDecoder.moyaDefault is FastJSONDecoder)
        #else
        #expect(type(of: JSONDecoder.moyaDefault) == JSONDecoder.self)
        #endif
    }

    @Test func integersOfEachWidthReachTheirLimits() throws {
        func expectLimits<each T: FixedWidthInteger & Decodable>(_ type: repeat (each T).Type) throws {
            func limits<U: FixedWidthInteger & Decodable>(_: U.Type) throws {
                #expect(try decode([U].self, "[\(U.min),\(U.max)]") == [U.min, U.max])
                #expect(error([U].self, "[0,\(U.max)0]").hasPrefix("corrupted"))
                #expect(error([U].self, "[-\(U.max)0]").hasPrefix("corrupted"))
                #expect(error(U.self, "0.5").hasPrefix("corrupted"))
                #expect(error(U.self, #""1""#) == "mismatch \(U.self) /")
                #expect(error(U.self, "true") == "mismatch \(U.self) /")
                #expect(error(U.self, "null") == "null \(U.self) /")
                #expect(try decode(U.self, "1.0e2") == 100)
            }
            repeat try limits((each T).self)
        }
        try expectLimits(
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self)
    }

    @Test(arguments: [
        "0", "-0.0", "1", "0.1", "1e-7", "123456789.123456789", "1.7976931348623157e308", "5e-324", "9007199254740993",
    ])
    func doublesAreTheNearest(text: String) throws {
        let value: Double = try decode(text)
        #expect(value == Double(text) && value.sign == Double(text)?.sign)
    }

    @Test(arguments: ["0.1", "16777217", "1.00000017881393432617187500001", "3.4028234663852886e38"])
    func floatsAreRoundedOnce(text: String) throws {
        #expect(try decode(Float.self, text) == Float(text))
    }

    @Test func doublesOutOfRangeAreErrors() {
        #expect(error([Double].self, "[1e309]").hasPrefix("corrupted"))
        #expect(error(Double.self, #""NaN""#) == "mismatch Double /")
    }

    @Test func nonConformingFloatsHaveNames() throws {
        let values: [Double] = try decode(#"["+","-","n",1]"#) {
            $0.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "+", negativeInfinity: "-", nan: "n")
        }
        #expect(values[0] == .infinity && values[1] == -.infinity && values[2].isNaN && values[3] == 1)
    }

    @Test(arguments: ["0.1", "3.14159265358979323846264338327", "-12.340", "1e20", "9007199254740993", "1e-5"])
    func decimalsAreExact(text: String) throws {
        #expect(try decode(Decimal.self, text) == Decimal(string: text))
    }

    @Test func textsAreUnescaped() throws {
        #expect(try decode(#""\"\\\/\b\f\n\r\t\u00fc\ud83d\ude00 é\u0000x""#) == "\"\\/\u{8}\u{c}\n\r\tü😀 é\0x")
        #expect(try decode(#""""#) == "")
        #expect(error(String.self, "1") == "mismatch String /")
    }

    @Test func urlsAreParsed() throws {
        #expect(try decode(URL.self, #""https://example.com/a?b=c#d""#).absoluteString == "https://example.com/a?b=c#d")
        #expect(error([URL].self, #"[""]"#) == "corrupted /0")
    }

    @Test func dataIsBase64OrAsConfigured() throws {
        #expect(try decode(Data.self, #""aGVsbG8=""#) == Data("hello".utf8))
        #expect(error(Data.self, #""not base64""#) == "corrupted /")
        #expect(try decode(Data.self, "[1,2]") { $0.dataDecodingStrategy = .deferredToData } == Data([1, 2]))
        #expect(
            try decode([Data].self, #"["x"]"#) {
                $0.dataDecodingStrategy = .custom { Data("\($0.codingPath.count)".utf8) }
            }
                == [Data("1".utf8)])
    }

    @Test func datesHaveEachStrategy() throws {
        let date = Date(timeIntervalSince1970: 1_795_385_937)
        #expect(try decode("817078737") == date)
        #expect(try decode("1795385937") { $0.dateDecodingStrategy = .secondsSince1970 } == date)
        #expect(try decode("1795385937000") { $0.dateDecodingStrategy = .millisecondsSince1970 } == date)
        #expect(try decode(#""2026-11-22T22:18:57Z""#) { $0.dateDecodingStrategy = .iso8601 } == date)
        #expect(try decode(#""2026-11-22T20:48:57-01:30""#) { $0.dateDecodingStrategy = .iso8601 } == date)
        #expect(
            try decode(#""2024-02-29T00:00:00Z""#) { $0.dateDecodingStrategy = .iso8601 }
                == Date(timeIntervalSince1970: 1_709_164_800))
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "dd.MM.yyyy HH:mm:ss"
        #expect(try decode(#""22.11.2026 22:18:57""#) { $0.dateDecodingStrategy = .formatted(formatter) } == date)
        let dates: [String: [Date]] = try decode(#"{"a":["1795385937"]}"#) {
            $0.dateDecodingStrategy = .custom { decoder in
                #expect(decoder.codingPath.map(\.stringValue) == ["a", "Index 0"])
                return Date(timeIntervalSince1970: Double(try decoder.singleValueContainer().decode(String.self))!)
            }
        }
        #expect(dates == ["a": [date]])
    }

    private struct Account: Decodable, Equatable {
        struct Owner: Decodable, Equatable { var firstName: String }
        var accountID: Int?
        var owner: Owner?
        var byName: [String: Owner]?
    }

    @Test func keysHaveEachStrategy() throws {
        let expected = Account(
            accountID: nil, owner: .init(firstName: "a"), byName: ["snake_case": .init(firstName: "b")])
        let json = #"{"owner":{"first_name":"a"},"by_name":{"snake_case":{"first_name":"b"}}}"#
        #expect(try decode(json) { $0.keyDecodingStrategy = .convertFromSnakeCase } == expected)
        #expect(
            try decode(#"{"XaccountID":7}"#) {
                $0.keyDecodingStrategy = .custom { Name(String($0.last!.stringValue.dropFirst())) }
            } == Account(accountID: 7))
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    @Test func firstOfEqualKeysCounts() throws {
        #expect(try decode(Account.self, #"{"accountID":1,"owner":null,"accountID":2}"#) == Account(accountID: 1))
        #expect(try decode(#"{"a":1,"a":2}"#) == ["a": 1])
    }

    @Test func keysAreEqualInUnicode() throws {
        struct Menu: Decodable { var café: Int }
        #expect(try decode(Menu.self, #"{"cafe\u0301":1}"#).café == 1)
    }

    @Test func manyMembersAreFound() throws {
        let values = Dictionary(uniqueKeysWithValues: (0..<5_000).map { ("key\($0)", $0) })
        #expect(try decode(String(decoding: JSONEncoder().encode(values), as: UTF8.self)) == values)
    }

    @Test func optionalsAreNilForNullAndForNothing() throws {
        #expect(try decode(Account.self, #"{"accountID":null}"#) == Account())
        #expect(try decode([Int?].self, "[1,null]") == [1, nil])
        #expect(try decode(Int?.self, "null") == nil)
    }

    @Test func errorsHaveTheirPaths() {
        struct Page: Decodable { var accounts: [Account] }
        #expect(error(Page.self, #"{"accounts":[{},{"accountID":"x"}]}"#) == "mismatch Int /accounts/1/accountID")
        #expect(error(Page.self, #"{"accounts":[{"accountID":1.5}]}"#).hasPrefix("corrupted"))
        #expect(error(Page.self, #"{"accounts":[{"owner":{}}]}"#) == "missing firstName /accounts/0/owner")
        #expect(error(Page.self, #"{"accounts":[null]}"#) == "null Dictionary<String, Any> /accounts/0")
        #expect(error(Page.self, #"{"accounts":{}}"#) == "mismatch Array<Any> /accounts")
        #expect(error(Page.self, "[1]") == "mismatch Dictionary<String, Any> /")
    }

    @Test(arguments: ["", " ", "{", "[1,]", "[1] 2", "{\"a\":1}}", "nul", "01", "\"\n\"", "\"\\ud800\"", "\u{0}"])
    func invalidDocumentsAreErrors(json: String) {
        #expect(throws: DecodingError.self) { try decode([String: Int].self, json) }
    }

    @Test func commentsAreAllowedInJSON5() throws {
        #expect(try decode([Int].self, "[1,/* one */]") { $0.allowsJSON5 = true } == [1])
    }

    @Test func otherEncodingsAreRead() throws {
        let decoder = JSONDecoder.moyaDefault
        #expect(try decoder.decode([Int].self, from: Data([0xef, 0xbb, 0xbf]) + Data("[1]".utf8)) == [1])
        #expect(try decoder.decode([Int].self, from: #require("[1,2]".data(using: .utf16LittleEndian))) == [1, 2])
        #expect(throws: DecodingError.self) { try decoder.decode(String.self, from: Data([0x22, 0xff, 0x22])) }
    }

    @Test func fragmentsAreValues() throws {
        #expect(try decode(Int.self, " 1 ") == 1)
        #expect(try decode(Bool.self, "true"))
        #expect(try decode(String.self, #""a""#) == "a")
    }

    private indirect enum Tree: Decodable {
        case leaf
        case node([Tree])
        init(from decoder: any Decoder) throws { self = .node(try decoder.singleValueContainer().decode([Tree].self)) }
    }

    @Test func deepDocumentsAreReadAndTheDeepestRefused() throws {
        _ = try decode(Tree.self, String(repeating: "[", count: 400) + String(repeating: "]", count: 400))
        for depth in [600, 100_000] {
            let json = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(error(Tree.self, json) == "corrupted /")
        }
    }

    @Test func userInfoReachesEachDecoder() throws {
        struct Told: Decodable {
            let text: String?
            init(from decoder: any Decoder) { text = decoder.userInfo[CodingUserInfoKey(rawValue: "key")!] as? String }
        }
        let values = try decode([Told].self, "[1,{}]") { $0.userInfo[CodingUserInfoKey(rawValue: "key")!] = "value" }
        #expect(values.map(\.text) == ["value", "value"])
    }

    @Test func containersOutliveTheDecoding() throws {
        struct Kept: Decodable {
            let keyed: KeyedDecodingContainer<Name>
            let above: any Decoder
            init(from decoder: any Decoder) throws {
                keyed = try decoder.container(keyedBy: Name.self)
                above = try keyed.superDecoder(forKey: Name("list"))
            }
        }
        let kept = try decode(Kept.self, #"{"text":"a longer text than fits in place","list":[1,2]}"#)
        #expect(try kept.keyed.decode(String.self, forKey: Name("text")) == "a longer text than fits in place")
        #expect(try [Int](from: kept.above) == [1, 2])
    }

    @Test func nestedContainersAndSuperDecodersHaveTheirPaths() throws {
        struct Nested: Decodable {
            var paths: [String] = []
            init(from decoder: any Decoder) throws {
                let outer = try decoder.container(keyedBy: Name.self)
                let inner = try outer.nestedContainer(keyedBy: Name.self, forKey: Name("a"))
                var list = try inner.nestedUnkeyedContainer(forKey: Name("b"))
                paths.append(Self.path(list.codingPath))
                #expect(try list.decode(Int.self) == 1)
                #expect(throws: DecodingError.self) { try list.decode(Int.self) }
                #expect(list.currentIndex == 1 && !list.isAtEnd)
                paths.append(Self.path(try list.nestedContainer(keyedBy: Name.self).codingPath))
                paths.append(Self.path(try list.superDecoder().codingPath))
                #expect(list.isAtEnd && list.count == 3)
                paths.append(Self.path(try outer.superDecoder().codingPath))
                #expect(try outer.superDecoder().singleValueContainer().decodeNil())
            }
            private static func path(_ keys: [any CodingKey]) -> String {
                keys.map(\.stringValue).joined(separator: "/")
            }
        }
        #expect(
            try decode(Nested.self, #"{"a":{"b":[1,{},"x"]}}"#).paths == ["a/b", "a/b/Index 1", "a/b/Index 2", "super"])
    }
}
