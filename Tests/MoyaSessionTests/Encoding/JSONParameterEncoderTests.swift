import Foundation
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct JSONParameterEncoderTests {
    struct Pet: Codable, Hashable { var name = "Rex", age = 3 }

    private func encode(
        _ encoder: some ParameterEncoder, _ value: (some Encodable & Sendable)?, contentType: String? = nil
    ) throws -> URLRequest {
        var request = try URLRequest(url: "https://example.com/", method: .post)
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        return try encoder.encode(value, into: request)
    }

    private func text(_ request: URLRequest) -> String? { request.httpBody.map { String(decoding: $0, as: UTF8.self) } }

    @Test func nilParametersChangeNothing() throws {
        let encoded = try encode(JSONParameterEncoder.default, Pet?.none)
        #expect(encoded.httpBody == nil)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func parametersAreTheBodyWithAType() throws {
        let encoded = try encode(JSONParameterEncoder.default, Pet())
        #expect(try JSONDecoder().decode(Pet.self, from: try #require(encoded.httpBody)) == Pet())
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func defaultIsOneLine() throws {
        #expect(text(try encode(.json, ["a": 1])) == #"{"a":1}"#)
    }

    @Test func prettyPrintedHasLines() throws {
        #expect(text(try encode(JSONParameterEncoder.prettyPrinted, ["a": 1])) == "{\n  \"a\" : 1\n}")
    }

    @Test func sortedKeysAscend() throws {
        #expect(text(try encode(JSONParameterEncoder.sortedKeys, Pet())) == #"{"age":3,"name":"Rex"}"#)
    }

    @Test func customEncoderIsUsed() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        struct Camel: Encodable { var oneTwo = 1 }
        #expect(text(try encode(.json(encoder: encoder), Camel())) == #"{"one_two":1}"#)
    }

    @Test func ownContentTypeIsKept() throws {
        let encoded = try encode(.json, Pet(), contentType: "application/vnd.api+json")
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
    }

    @Test func arrayCanBeTheRoot() throws {
        #expect(text(try encode(.json, [1, 2])) == "[1,2]")
    }

    @Test func valueThatIsNoJSONIsAnErrorWithItsCause() {
        let error = #expect(throws: SessionError.self) { try encode(.json, [Double.infinity]) }
        guard case .parameterEncodingFailed(.jsonEncodingFailed(let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is EncodingError)
    }

    @Test func subclassCanChangeTheRequest() throws {
        final class Tagged: JSONParameterEncoder, @unchecked Sendable {
            override func encode<Parameters: Encodable & Sendable>(
                _ parameters: Parameters?, into request: URLRequest
            ) throws -> URLRequest {
                var request = try super.encode(parameters, into: request)
                request.setValue("application/x-json", forHTTPHeaderField: "Content-Type")
                return request
            }
        }
        #expect(try encode(Tagged(), Pet()).value(forHTTPHeaderField: "Content-Type") == "application/x-json")
    }
}
