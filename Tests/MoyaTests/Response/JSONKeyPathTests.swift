import Foundation
import Moya
import Testing

@Suite struct DecodingTests {
    private struct Post: Decodable, Equatable {
        var title: String
        var createdAt: Date
    }

    private struct Optionals: Decodable, Equatable {
        var title: String?
        var createdAt: Date?
    }

    private static let post = #"{"title":"Hello","createdAt":"1995-01-14T12:34:56"}"#
    private static let expected = Post(title: "Hello", createdAt: formatter.date(from: "1995-01-14T12:34:56")!)

    private static let formatter: DateFormatter = {
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss"
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        return formatter
    }()

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .formatted(formatter)
        return decoder
    }

    private func response(_ text: String) -> Response { Response(statusCode: 200, data: Data(text.utf8)) }

    @Test(arguments: [
        String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
    ])
    func everyUnicodeEncodingIsReadAtAKeyPath(_ encoding: String.Encoding) throws {
        let data = try #require(#"{"user":{"name":"Zoë"}}"#.data(using: encoding))
        #expect(try Response(statusCode: 200, data: data).map(String.self, atKeyPath: "user.name") == "Zoë")
    }

    private func expectObjectMapping(_ work: () throws -> Any) {
        guard case .objectMapping(let cause, _) = #expect(throws: MoyaError.self, performing: { try work() }) else {
            Issue.record("no objectMapping")
            return
        }
        #expect(cause is DecodingError)
    }

    private func expectJSONMapping(_ work: () throws -> Any) {
        guard case .jsonMapping = #expect(throws: MoyaError.self, performing: { try work() }) else {
            Issue.record("no jsonMapping")
            return
        }
    }

    // MARK: The whole body

    @Test func decodesAnObjectWithTheDecodersStrategy() throws {
        #expect(try response(Self.post).map(Post.self, using: Self.decoder) == Self.expected)
    }

    @Test func decodesAnArray() throws {
        #expect(try response("[\(Self.post)]").map([Post].self, using: Self.decoder) == [Self.expected])
    }

    @Test func undecodableBodyIsAnObjectMappingErrorWithTheDecodersError() {
        expectObjectMapping { try response(#"{"title":1}"#).map(Post.self) }
    }

    @Test func bodyThatIsNoJSONIsAnObjectMappingError() { expectObjectMapping { try response("{").map(Post.self) } }

    @Test func emptyBodyIsAnObjectMappingError() { expectObjectMapping { try response("").map(Optionals.self) } }

    // MARK: Empty bodies

    @Test(arguments: [nil, "key"]) func emptyBodyMayBeAnEmptyObject(_ keyPath: String?) throws {
        let found = try response("").map(Optionals.self, atKeyPath: keyPath, failsOnEmptyData: false)
        #expect(found == Optionals())
    }

    @Test(arguments: [nil, "key"]) func emptyBodyMayBeAnArrayOfOneEmptyObject(_ keyPath: String?) throws {
        let found = try response("").map([Optionals].self, atKeyPath: keyPath, failsOnEmptyData: false)
        #expect(found == [Optionals()])
    }

    @Test func emptyBodyThatFitsNoEmptyValueIsAnObjectMappingError() {
        expectObjectMapping { try response("").map(Int.self, failsOnEmptyData: false) }
    }

    // MARK: Key paths to objects

    @Test func decodesAnObjectAtAKeyPath() throws {
        let found = try response(#"{"a":{"b":\#(Self.post)}}"#)
            .map(Post.self, atKeyPath: "a.b", using: Self.decoder)
        #expect(found == Self.expected)
    }

    @Test func decodesAnArrayAtAKeyPath() throws {
        let found = try response(#"{"a":[\#(Self.post)]}"#).map([Post].self, atKeyPath: "a", using: Self.decoder)
        #expect(found == [Self.expected])
    }

    @Test func stepThroughAnArrayGivesTheValuesOfItsElements() throws {
        let found = try response(#"{"a":[{"b":1},{"b":2}]}"#).map([Int].self, atKeyPath: "a.b")
        #expect(found == [1, 2])
    }

    @Test func elementWithoutTheKeyGivesNull() throws {
        let found = try response(#"{"a":[{"b":1},{}]}"#).map([Int?].self, atKeyPath: "a.b")
        #expect(found == [1, nil])
    }

    @Test func operatorOfAKeyPathIsAnOrdinaryKey() throws {
        #expect(try response(#"{"a":{"@count":7}}"#).map(Int.self, atKeyPath: "a.@count") == 7)
        #expect(try response(#"{"a":[1,2]}"#).map([Int?].self, atKeyPath: "a.@count") == [nil, nil])
    }

    @Test func decodesANestedArrayStepByStep() throws {
        let found = try response(#"{"a":[{"b":[{"c":1},{"c":2}]},{"b":[{"c":3}]}]}"#)
            .map([[Int]].self, atKeyPath: "a.b.c")
        #expect(found == [[1, 2], [3]])
    }

    @Test func decodesAnEmptyObjectAtAKeyPath() throws {
        #expect(try response(#"{"a":{}}"#).map(Optionals.self, atKeyPath: "a") == Optionals())
    }

    @Test func undecodableObjectAtAKeyPathIsAnObjectMappingError() {
        expectObjectMapping { try response(#"{"a":{"title":1}}"#).map(Post.self, atKeyPath: "a") }
    }

    // MARK: Key paths to values

    @Test func decodesAnIntAtAKeyPath() throws {
        #expect(try response(#"{"a":1}"#).map(Int.self, atKeyPath: "a") == 1)
    }

    @Test(arguments: [true, false]) func decodesABoolAtAKeyPath(_ value: Bool) throws {
        #expect(try response(#"{"a":\#(value)}"#).map(Bool.self, atKeyPath: "a") == value)
    }

    @Test func decodesAStringAtAKeyPath() throws {
        #expect(try response(#"{"a":"text"}"#).map(String.self, atKeyPath: "a") == "text")
    }

    @Test func decodesAURLAtAKeyPath() throws {
        let found = try response(#"{"a":"https://example.com/a"}"#).map(URL.self, atKeyPath: "a")
        #expect(found == URL(string: "https://example.com/a"))
    }

    @Test func decodesADateAtAKeyPathWithTheDecodersStrategy() throws {
        let found = try response(#"{"a":"1995-01-14T12:34:56"}"#)
            .map(Date.self, atKeyPath: "a", using: Self.decoder)
        #expect(found == Self.expected.createdAt)
    }

    @Test func decodesADoubleAtAKeyPathToTheBit() throws {
        #expect(try response(#"{"a":0.1}"#).map(Double.self, atKeyPath: "a") == 0.1)
    }

    @Test func decodesTheLargestNumberAtAKeyPath() throws {
        #expect(try response(#"{"a":18446744073709551615}"#).map(UInt64.self, atKeyPath: "a") == .max)
    }

    @Test func decodesTheSmallestNumberAtAKeyPath() throws {
        #expect(try response(#"{"a":-9223372036854775808}"#).map(Int64.self, atKeyPath: "a") == .min)
    }

    @Test func nullAtAKeyPathIsNil() throws {
        #expect(try response(#"{"a":null}"#).map(Int?.self, atKeyPath: "a") == nil)
    }

    @Test func nullAtAKeyPathIsNotAnInt() {
        expectObjectMapping { try response(#"{"a":null}"#).map(Int.self, atKeyPath: "a") }
    }

    // MARK: Refusals

    @Test func intIsNotABool() { expectObjectMapping { try response(#"{"a":1}"#).map(Bool.self, atKeyPath: "a") } }

    @Test func boolIsNotAnInt() { expectObjectMapping { try response(#"{"a":true}"#).map(Int.self, atKeyPath: "a") } }

    @Test func stringIsNotAnInt() {
        expectObjectMapping { try response(#"{"a":"123"}"#).map(Int.self, atKeyPath: "a") }
    }

    @Test func arrayIsNotAString() {
        expectObjectMapping { try response(#"{"a":["text"]}"#).map(String.self, atKeyPath: "a") }
    }

    @Test func stringIsNotAnArray() {
        expectObjectMapping { try response(#"{"a":"text"}"#).map([String].self, atKeyPath: "a") }
    }

    // MARK: Nothing there

    @Test(arguments: [#"{"b":1}"#, "[1]", "1", #"{"a":{"c":1}}"#, #"{"a":1}"#])
    func missingKeyPathIsAJSONMappingError(_ text: String) {
        expectJSONMapping { try response(text).map(Optionals.self, atKeyPath: "a.b") }
    }

    @Test func malformedJSONUnderAKeyPathIsAJSONMappingError() {
        expectJSONMapping { try response("{").map(Optionals.self, atKeyPath: "a") }
    }

    @Test func emptyBodyUnderAKeyPathIsAJSONMappingError() {
        expectJSONMapping { try response("").map(Optionals.self, atKeyPath: "a") }
    }

    /// Moya decodes the whole body here.
    @Test func missingKeyPathMayBeTheEmptyValueInsteadOfTheWholeBody() throws {
        let found = try response(#"{"title":"of the whole"}"#)
            .map(Optionals.self, atKeyPath: "a", failsOnEmptyData: false)
        #expect(found == Optionals())
    }

    @Test func missingKeyPathMayBeAnArrayOfOneEmptyObject() throws {
        let found = try response(#"{"b":1}"#).map([Optionals].self, atKeyPath: "a", failsOnEmptyData: false)
        #expect(found == [Optionals()])
    }

    @Test func malformedJSONFailsWhereEmptyDataDoesNot() {
        expectJSONMapping { try response("{").map(Optionals.self, atKeyPath: "a", failsOnEmptyData: false) }
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b"]) func emptyKeysAreKeysLikeOthers(_ keyPath: String) {
        expectJSONMapping { try response(#"{"a":{"b":1}}"#).map(Int.self, atKeyPath: keyPath) }
    }

    @Test func deepKeyPathIsReadSafely() throws {
        let depth = 200
        let text = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        let keyPath = Array(repeating: "a", count: depth).joined(separator: ".")
        #expect(try response(text).map(Int.self, atKeyPath: keyPath) == 1)
    }
}
