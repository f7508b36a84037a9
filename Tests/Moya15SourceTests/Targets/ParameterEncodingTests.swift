#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct JSONArrayEncoding: ParameterEncoding {
    static let `default` = JSONArrayEncoding()

    func encode(_ urlRequest: URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()

        guard let json = parameters?["jsonArray"] else {
            return request
        }

        let data = try JSONSerialization.data(withJSONObject: json, options: [])

        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }

        request.httpBody = data

        return request
    }
}

/// An encoding with state that spells its parameters as a dictionary of anything.
class SignedEncoding: ParameterEncoding {
    var secret = "s"
    func encode(_ urlRequest: URLRequestConvertible, with parameters: [String: Any]?) throws -> URLRequest {
        var parameters = parameters ?? [:]
        parameters["signature"] = secret
        return try URLEncoding.queryString.encode(urlRequest, with: parameters)
    }
}

enum EncodingError: Error { case refused }

struct RefusingEncoding: ParameterEncoding {
    func encode(_ urlRequest: URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        throw AFError.parameterEncodingFailed(reason: .customEncodingFailed(error: EncodingError.refused))
    }
}

@Suite struct ParameterEncodingSourceTests {
    private func endpoint(_ encoding: ParameterEncoding, _ parameters: [String: Any]) -> Endpoint {
        Endpoint(
            url: "https://example.com/a", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post,
            task: .requestParameters(parameters: parameters, encoding: encoding), httpHeaderFields: nil)
    }

    @Test func encodingTakesParameters() throws {
        let request = try endpoint(JSONArrayEncoding.default, ["jsonArray": [1, 2]]).urlRequest()
        #expect(request.httpBody == Data("[1,2]".utf8))
    }

    @Test func encodingTakesADictionaryOfAnything() throws {
        let request = try endpoint(SignedEncoding(), ["a": 1]).urlRequest()
        #expect(request.url?.query == "a=1&signature=s")
    }

    @Test func refusalIsAParameterEncodingError() {
        do {
            _ = try endpoint(RefusingEncoding(), [:]).urlRequest()
            Issue.record("not refused")
        } catch MoyaError.parameterEncoding(let error) {
            #expect((error as? AFError)?.isParameterEncodingError == true)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func encodingsAreUsedByThemselves() throws {
        let url = URL(string: "https://example.com/a")!
        let parameters: [String: Any] = ["k": "v"]
        let request = try URLEncoding.default.encode(URLRequest(url: url), with: parameters)
        #expect(request.url?.query == "k=v")
        let values: Parameters = ["k": "v"]
        #expect(
            try JSONEncoding.default.encode(URLRequest(url: url), with: values).httpBody == Data("{\"k\":\"v\"}".utf8))
    }
}
#endif
