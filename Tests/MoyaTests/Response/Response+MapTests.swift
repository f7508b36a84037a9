import Foundation
import Moya
import Testing

@Suite struct ResponseMapTests {
    private func response(_ text: String) -> Response { Response(statusCode: 200, data: Data(text.utf8)) }

    /// The error of a map, after it was checked that it carries the response.
    private func error(_ response: Response, _ map: (Response) throws -> Any) -> MoyaError? {
        do {
            let value = try map(response)
            Issue.record("mapped to \(value)")
            return nil
        } catch {
            #expect((error as? MoyaError)?.response === response)
            return error as? MoyaError
        }
    }

    // MARK: JSON

    @Test func mapsAnObject() throws {
        #expect(try response(#"{"a":"b"}"#).mapJSON() as? [String: String] == ["a": "b"])
    }

    @Test func mapsAnArray() throws { #expect(try response("[1,2]").mapJSON() as? [Int] == [1, 2]) }

    @Test func mapsAFragment() throws { #expect(try response(#""text""#).mapJSON() as? String == "text") }

    @Test(arguments: ["{", "nonsense", #"{"a":}"#, ""]) func malformedJSONIsAJSONMappingError(_ text: String) {
        guard case .jsonMapping = error(response(text), { try $0.mapJSON() }) else {
            Issue.record()
            return
        }
    }

    @Test func emptyBodyMayBeNull() throws { #expect(try response("").mapJSON(failsOnEmptyData: false) is NSNull) }

    @Test func malformedJSONFailsWhereEmptyDataDoesNot() {
        guard case .jsonMapping = error(response("{"), { try $0.mapJSON(failsOnEmptyData: false) }) else {
            Issue.record()
            return
        }
    }

    // MARK: Strings

    @Test func mapsTheBodyToAString() throws { #expect(try response("text").mapString() == "text") }

    @Test func emptyBodyIsTheEmptyString() throws { #expect(try response("").mapString() == "") }

    @Test func invalidUTF8IsAStringMappingError() {
        let response = Response(statusCode: 200, data: Data([0xC3, 0x28]))
        guard case .stringMapping = error(response, { try $0.mapString() }) else {
            Issue.record()
            return
        }
    }

    @Test func mapsAStringAtAKeyPath() throws {
        #expect(try response(#"{"words":{"one":"text"}}"#).mapString(atKeyPath: "words.one") == "text")
    }

    @Test(arguments: [#"{"words":{"one":1}}"#, #"{"words":{}}"#, #"["words"]"#, #"{"words":null}"#])
    func noStringAtTheKeyPathIsAStringMappingError(_ text: String) {
        guard case .stringMapping = error(response(text), { try $0.mapString(atKeyPath: "words.one") }) else {
            Issue.record()
            return
        }
    }

    @Test func malformedJSONUnderAKeyPathIsAJSONMappingError() {
        guard case .jsonMapping = error(response("{"), { try $0.mapString(atKeyPath: "a") }) else {
            Issue.record()
            return
        }
    }
}
