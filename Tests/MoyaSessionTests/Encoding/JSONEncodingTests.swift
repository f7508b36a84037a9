import Foundation
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct JSONEncodingTests {
    private func request() throws -> URLRequest { try URLRequest(url: "https://example.com", method: .post) }

    private func text(_ request: URLRequest) -> String { String(decoding: request.httpBody ?? Data(), as: UTF8.self) }

    @Test func nilParametersChangeNothing() throws {
        let encoded = try JSONEncoding.default.encode(request(), with: nil)
        #expect(encoded.httpBody == nil)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func parametersAreTheBody() throws {
        let parameters: Parameters = [
            "a": "x", "b": 1, "c": true, "d": 1.5, "e": [1, "y"] as [any Sendable], "f": ["g": NSNull()],
        ]
        let encoded = try JSONEncoding(options: .sortedKeys).encode(request(), with: parameters)
        #expect(text(encoded) == #"{"a":"x","b":1,"c":true,"d":1.5,"e":[1,"y"],"f":{"g":null}}"#)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test(
        arguments: [[], .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed] as [JSONSerialization.WritingOptions])
    func aCGFloatIsANumber(options: JSONSerialization.WritingOptions) throws {
        let encoding = JSONEncoding(options: options)
        let nested: [any Sendable] = [CGFloat(1.5), ["y": CGFloat(2.5)], true, NSNumber(value: false)]
        let encoded = try encoding.encode(request(), with: ["x": nested])
        #expect(text(encoded) == #"{"x":[1.5,{"y":2.5},true,false]}"#)
    }

    @Test func aCGFloatIsANumberNextToADecimal() throws {
        let numbers: [any Sendable] = [CGFloat(1.5), Decimal(2)]
        #expect(text(try JSONEncoding.default.encode(request(), withJSONObject: numbers)) == "[1.5,2]")
    }

    @Test func infiniteCGFloatIsAnError() throws {
        let request = try request()
        #expect(throws: SessionError.self) {
            try JSONEncoding(options: .sortedKeys).encode(request, with: ["x": CGFloat.infinity])
        }
    }

    @Test func emptyParametersAreAnEmptyObject() throws {
        #expect(text(try JSONEncoding.default.encode(request(), with: [:])) == "{}")
    }

    @Test func arrayCanBeTheRoot() throws {
        #expect(text(try JSONEncoding.default.encode(request(), withJSONObject: ["a", "b"])) == #"["a","b"]"#)
    }

    @Test func prettyPrintedHasLines() throws {
        #expect(text(try JSONEncoding.prettyPrinted.encode(request(), with: ["a": 1])).contains("\n"))
    }

    @Test func ownContentTypeIsKept() throws {
        var old = try request()
        old.setValue("application/vnd.api+json", forHTTPHeaderField: "Content-Type")
        let encoded = try JSONEncoding.default.encode(old, with: ["a": 1])
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
    }

    static let invalid: [any Sendable] = [
        Date(), URL(fileURLWithPath: "/"), Data(), Double.nan, Float.infinity, Decimal.nan, Character("c"), [1: 2],
        ["a": Date()], [Date()], NSNumber(value: Double.infinity),
    ]

    @Test(arguments: invalid.indices) func valueThatIsNoJSONIsAnError(index: Int) throws {
        let request = try request()
        let error = #expect(throws: SessionError.self) {
            try JSONEncoding.default.encode(request, with: ["a": Self.invalid[index]])
        }
        guard case .parameterEncodingFailed(.jsonEncodingFailed(let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is JSONEncoding.Error)
    }

    @Test func fragmentIsAnErrorUnlessAllowed() throws {
        let request = try request()
        #expect(throws: SessionError.self) { try JSONEncoding.default.encode(request, withJSONObject: "x") }
        #expect(text(try JSONEncoding(options: .fragmentsAllowed).encode(request, withJSONObject: "x")) == "\"x\"")
    }

    @Test func loneHalfOfASurrogatePairDoesNotTrap() throws {
        let half = NSString(characters: [0xD83D], length: 1)
        _ = try? JSONEncoding.default.encode(request(), withJSONObject: ["a": half])
    }
}
