import Foundation
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLEncodedFormParameterEncoderTests {
    private func request(_ method: HTTPMethod = .get, _ url: String = "https://example.com/") throws -> URLRequest {
        try URLRequest(url: url, method: method)
    }

    private let parameters = ["b": "x y", "a": "1"]

    @Test func nilParametersChangeNothing() throws {
        let encoded = try URLEncodedFormParameterEncoder.default.encode([String: Int]?.none, into: request(.post))
        #expect(encoded.httpBody == nil)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test(arguments: [HTTPMethod.get, .head, .delete]) func queryIsForMethodsWithoutABody(method: HTTPMethod) throws {
        let encoded = try URLEncodedFormParameterEncoder.default.encode(parameters, into: request(method))
        #expect(encoded.url?.absoluteString == "https://example.com/?a=1&b=x%20y")
        #expect(encoded.httpBody == nil)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .options, .query, .init(rawValue: "PROPFIND")])
    func bodyIsForTheOtherMethods(method: HTTPMethod) throws {
        let encoded = try URLEncodedFormParameterEncoder.default.encode(parameters, into: request(method))
        #expect(encoded.url?.absoluteString == "https://example.com/")
        #expect(encoded.httpBody == Data("a=1&b=x%20y".utf8))
        #expect(
            encoded.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test func postCanUseTheQuery() throws {
        let encoder = URLEncodedFormParameterEncoder(destination: .queryString)
        let encoded = try encoder.encode(parameters, into: request(.post))
        #expect(encoded.url?.query == "a=1&b=x%20y")
        #expect(encoded.httpBody == nil)
    }

    @Test func getCanUseTheBody() throws {
        let encoder = URLEncodedFormParameterEncoder(destination: .httpBody)
        let encoded = try encoder.encode(parameters, into: request())
        #expect(encoded.url?.query == nil)
        #expect(encoded.httpBody == Data("a=1&b=x%20y".utf8))
    }

    @Test func queryJoinsAnExistingOne() throws {
        let old = try request(.get, "https://example.com/?z=0#f")
        let encoded = try URLEncodedFormParameterEncoder.default.encode(parameters, into: old)
        #expect(encoded.url?.absoluteString == "https://example.com/?z=0&a=1&b=x%20y#f")
    }

    @Test func noPairsAddNoQuery() throws {
        let encoded = try URLEncodedFormParameterEncoder.default.encode([String: Int](), into: request())
        #expect(encoded.url?.absoluteString == "https://example.com/")
    }

    @Test func noPairsMakeAnEmptyBody() throws {
        let encoded = try URLEncodedFormParameterEncoder.default.encode([String: Int](), into: request(.post))
        #expect(encoded.httpBody == Data())
    }

    @Test func ownContentTypeIsKept() throws {
        var old = try request(.post)
        old.setValue("text/x-form", forHTTPHeaderField: "Content-Type")
        let encoded = try URLEncodedFormParameterEncoder.default.encode(parameters, into: old)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == "text/x-form")
    }

    @Test func staticMembersMakeEncoders() throws {
        func encode(_ encoder: some ParameterEncoder) throws -> String? {
            try encoder.encode(["a": true], into: request(.post)).httpBody.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try encode(.urlEncodedForm) == "a=1")
        #expect(try encode(.urlEncodedForm(encoder: URLEncodedFormEncoder(boolEncoding: .literal))) == "a=true")
        #expect(try encode(.urlEncodedForm(destination: .queryString)) == nil)
    }

    // MARK: Errors

    @Test func requestWithoutURLIsAnError() throws {
        var old = try request(.post)
        old.url = nil
        let error = #expect(throws: SessionError.self) {
            try URLEncodedFormParameterEncoder.default.encode(parameters, into: old)
        }
        guard case .parameterEncoderFailed(.missingRequiredComponent(.url)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func malformedMethodIsNamedInTheError() throws {
        let old = try request(HTTPMethod(rawValue: "NO METHOD"))
        let error = #expect(throws: SessionError.self) {
            try URLEncodedFormParameterEncoder.default.encode(parameters, into: old)
        }
        guard case .parameterEncoderFailed(.missingRequiredComponent(.httpMethod(rawValue: "NO METHOD"))) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func rootWithoutNamesIsAnErrorWithItsCause() throws {
        let old = try request()
        let error = #expect(throws: SessionError.self) {
            try URLEncodedFormParameterEncoder.default.encode([1, 2], into: old)
        }
        guard case .parameterEncoderFailed(.encoderFailed(let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is URLEncodedFormEncoder.Error)
    }
}
