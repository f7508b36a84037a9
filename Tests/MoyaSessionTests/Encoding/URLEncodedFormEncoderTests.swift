import Foundation
import MoyaSession
import Testing

/// The pairs with percent-encoding removed.
func form(_ value: any Encodable, _ encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()) throws -> String {
    let pairs: String = try encoder.encode(value)
    return try #require(pairs.removingPercentEncoding)
}

/// A pair with any encodable value.
struct Pair<Value: Encodable>: Encodable {
    var v: Value

    init(_ value: Value) { v = value }
}

@Suite struct URLEncodedFormEncoderTests {
    struct Person: Encodable {
        var name = "Ada"
        var born = 1815
        var alive = false
    }

    private let inOrder = URLEncodedFormEncoder(alphabetizeKeyValuePairs: false)

    // MARK: Roots

    @Test func propertiesArePairs() throws {
        #expect(try form(Person()) == "alive=0&born=1815&name=Ada")
    }

    @Test func dataHoldsTheSamePairs() throws {
        let data: Data = try URLEncodedFormEncoder().encode(Person())
        #expect(data == Data("alive=0&born=1815&name=Ada".utf8))
    }

    @Test func dictionaryCanBeTheRoot() throws {
        #expect(try form(["b": 1, "a": 2]) == "a=2&b=1")
    }

    @Test func dictionaryWithNumbersForKeysCanBeTheRoot() throws {
        #expect(try form([2: "b", 1: "a"]) == "1=a&2=b")
    }

    static let nameless: [any Encodable & Sendable] = [
        1, "text", true, 1.5, [1, 2], ["a"], [["a": 1]], Date(), Data(), Decimal(1), Int?.none, UUID(), [1.5: 1],
        URL(fileURLWithPath: "/"),
    ]

    @Test(arguments: nameless.indices) func rootWithoutNamesIsAnError(index: Int) throws {
        let encoder = URLEncodedFormEncoder(nilEncoding: .null)
        let error = #expect(throws: URLEncodedFormEncoder.Error.self) {
            let _: String = try encoder.encode(Self.nameless[index])
        }
        let text = try #require(error?.errorDescription)
        #expect(text.contains("\(type(of: Self.nameless[index]))"))
    }

    @Test func emptyRootGivesNoPairs() throws {
        struct Silent: Encodable { func encode(to encoder: any Encoder) throws {} }
        struct Empty: Encodable {}
        #expect(try form(Silent()) == "")
        #expect(try form(Empty()) == "")
        #expect(try form([String: Int]()) == "")
    }

    // MARK: Order

    struct Unordered: Encodable {
        struct Inner: Encodable { var y = 2, x = 1 }
        var b = 1
        var c = Inner()
        var a = [3, 1, 2]
    }

    @Test func pairsAscendOnEachLevelElementsOfArraysToo() throws {
        #expect(try form(Unordered()) == "a[]=1&a[]=2&a[]=3&b=1&c[x]=1&c[y]=2")
    }

    @Test func pairsCanBeInOrderOfDeclaration() throws {
        #expect(try form(Unordered(), inOrder) == "b=1&c[y]=2&c[x]=1&a[]=3&a[]=1&a[]=2")
    }

    @Test func pairsAscendAsTheyAreWritten() throws {
        // Escaped, an `é` begins with a percent sign, which comes before every letter.
        let pairs: String = try URLEncodedFormEncoder().encode(["a": 1, "é": 2])
        #expect(pairs == "%C3%A9=2&a=1")
    }

    @Test func nameSetTwiceKeepsItsPlaceAndTakesTheLastValue() throws {
        struct Twice: Encodable {
            enum Keys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .b)
                try container.encode(2, forKey: .a)
                try container.encode(3, forKey: .b)
            }
        }
        #expect(try form(Twice(), inOrder) == "b=3&a=2")
    }

    @Test func manyNamesAreAllKept() throws {
        struct Many: Encodable {
            struct Key: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }
                init(_ number: Int) { stringValue = "k\(number)" }
                init?(stringValue: String) { nil }
                init?(intValue: Int) { nil }
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for number in 0..<100 { try container.encode(number, forKey: Key(number % 50)) }
            }
        }
        #expect(try form(Many(), inOrder) == (0..<50).map { "k\($0)=\($0 + 50)" }.joined(separator: "&"))
    }

    // MARK: Errors

    @Test func errorOfTheValueIsRethrown() {
        struct Broken: Encodable {
            struct Cause: Error {}
            func encode(to encoder: any Encoder) throws { throw Cause() }
        }
        #expect(throws: Broken.Cause.self) { try form(Pair([Broken()])) }
    }

    @Test func valueWithTwoKindsOfContainersIsAnErrorWithItsPath() throws {
        struct Both: Encodable {
            enum Keys: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                _ = encoder.container(keyedBy: Keys.self)
                var elements = encoder.unkeyedContainer()
                try elements.encode(1)
            }
        }
        let error = #expect(throws: EncodingError.self) { try form(Pair([Both()])) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["v", "Index 0"])
    }

    @Test func valueThatEncodesTwoSingleValuesIsAnError() {
        struct Two: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            }
        }
        #expect(throws: EncodingError.self) { try form(Pair(Two())) }
    }

    @Test func codingPathLocatesAValue() throws {
        struct Located: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.codingPath.map(\.stringValue).joined(separator: "/"))
            }
        }
        #expect(try form(["a": [["b": Located()]]]) == "a[][b]=a/Index 0/b")
    }
}
