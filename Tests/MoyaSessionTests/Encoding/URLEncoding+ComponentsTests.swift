import Foundation
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLEncodingComponentsTests {
    private func form(_ parameters: Parameters, _ encoding: URLEncoding = .httpBody) throws -> String {
        let request = try URLRequest(url: "https://example.com", method: .post)
        let body = try encoding.encode(request, with: parameters).httpBody
        return try #require(body.flatMap { String(data: $0, encoding: .utf8) }?.removingPercentEncoding)
    }

    @Test func keysAscend() throws {
        #expect(try form(["z": 1, "a": 2, "B": 3]) == "B=3&a=2&z=1")
    }

    // MARK: Values

    static let values: [(any Sendable, String)] = [
        ("text", "text"), (1, "1"), (-7, "-7"), (Int8(1), "1"), (UInt8(0), "0"), (UInt64.max, "18446744073709551615"),
        (1.1, "1.1"), (1.0, "1"), (0.0, "0"), (100.0, "100"), (Float(1.1), "1.1"), (Float(2), "2"), (1e20, "1e+20"),
        (Decimal(string: "1.10") ?? 0, "1.1"), (CGFloat(3), "3"), (true, "1"), (false, "0"),
        (NSNumber(value: 25), "25"), (NSNumber(value: 1.0), "1"), (NSNumber(value: 1.5), "1.5"),
        (NSNumber(value: Float(1.1)), "1.1"), (NSNumber(value: Int8(1)), "1"), (NSNumber(value: true), "1"),
        (NSNumber(value: false), "0"), (NSDecimalNumber(string: "2.50"), "2.5"), ("a"[...], "a"),
        (Character("c"), "c"), (Optional(1), "1"), (AnyHashable(1.0) as any Sendable, "1"),
    ]

    @Test(arguments: values.indices) func valuePrintsTheSameEverywhere(index: Int) throws {
        let (value, text) = Self.values[index]
        #expect(try form(["v": value]) == "v=\(text)")
    }

    @Test func literalBooleansAreWords() throws {
        let encoding = URLEncoding(destination: .httpBody, boolEncoding: .literal)
        #expect(
            try form(["a": true, "b": false, "c": NSNumber(value: true), "d": [true]], encoding)
                == "a=true&b=false&c=true&d[]=true")
    }

    @Test func literalBooleansLeaveNumbersAlone() throws {
        let encoding = URLEncoding(destination: .httpBody, boolEncoding: .literal)
        let numbers: Parameters = [
            "a": 1, "b": 0, "c": 1.0, "d": 0.0, "e": NSNumber(value: 1), "f": NSNumber(value: 0),
            "g": NSNumber(value: 1.0), "h": NSNumber(value: Int8(1)), "i": UInt8(1),
        ]
        #expect(try form(numbers, encoding) == "a=1&b=0&c=1&d=0&e=1&f=0&g=1&h=1&i=1")
    }

    @Test func nilValuesAreLeftOut() throws {
        #expect(try form(["a": Int?.none, "b": 1]) == "b=1")
    }

    // MARK: Arrays and dictionaries

    static let arrays: [(URLEncoding.ArrayEncoding, String)] = [
        (.brackets, "k[]=a&k[]=1&k[]=1"), (.noBrackets, "k=a&k=1&k=1"), (.indexInBrackets, "k[0]=a&k[1]=1&k[2]=1"),
        (.custom { "\($0).\($1 + 1)" }, "k.1=a&k.2=1&k.3=1"),
    ]

    @Test(arguments: arrays.indices) func arraysHaveFourStyles(index: Int) throws {
        let (style, expected) = Self.arrays[index]
        let encoding = URLEncoding(destination: .httpBody, arrayEncoding: style)
        #expect(try form(["k": ["a", 1, true] as [any Sendable]], encoding) == expected)
    }

    @Test func typedArraysAndFoundationArraysAreArrays() throws {
        #expect(try form(["k": [1, 2]]) == "k[]=1&k[]=2")
        #expect(URLEncoding.default.queryComponents(fromKey: "k", value: NSArray(array: [1, 2])).count == 2)
    }

    @Test func emptyArraysAreLeftOut() throws {
        #expect(try form(["a": [Int](), "b": 1]) == "b=1")
    }

    @Test func dictionariesNestInBrackets() throws {
        #expect(try form(["a": ["b": ["c": 1]]]) == "a[b][c]=1")
    }

    @Test func nestedKeysAscend() throws {
        #expect(try form(["a": ["z": 1, "m": 2, "b": 3]]) == "a[b]=3&a[m]=2&a[z]=1")
    }

    @Test func arraysNestInDictionaries() throws {
        #expect(try form(["a": ["b": [1, 2]]]) == "a[b][]=1&a[b][]=2")
    }

    @Test func arraysWithIndexNestInDictionaries() throws {
        let encoding = URLEncoding(destination: .httpBody, arrayEncoding: .indexInBrackets)
        #expect(try form(["a": ["b": [1, 2]]], encoding) == "a[b][0]=1&a[b][1]=2")
    }

    @Test func dictionariesNestInArrays() throws {
        #expect(try form(["a": [["b": 1], ["c": 2]]]) == "a[][b]=1&a[][c]=2")
    }

    @Test func foundationDictionariesAreDictionaries() {
        let components = URLEncoding.default.queryComponents(fromKey: "k", value: NSDictionary(dictionary: ["a": 1]))
        #expect(components.map { "\($0)=\($1)" } == ["k%5Ba%5D=1"])
    }

    @Test func componentsAreEscaped() {
        let components = URLEncoding.default.queryComponents(fromKey: "a b", value: ["c d": "e f"])
        #expect(components.map { "\($0)=\($1)" } == ["a%20b%5Bc%20d%5D=e%20f"])
    }
}
