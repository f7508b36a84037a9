import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Endpoint {
    /// The request of the endpoint; the body of an upload is attached later, when it is sent.
    ///
    /// - Throws: `MoyaError.requestMapping` if ``url`` is invalid, `.parameterEncoding` and `.encodableMapping` if the
    ///   task cannot be encoded.
    public func urlRequest() throws -> URLRequest {
        guard let url = URL(spelled: url) else { throw MoyaError.requestMapping(url) }
        var request = URLRequest(url: url)
        // GET is the default, and setting it costs more than parsing the URL.
        if method != .get { request.httpMethod = method.rawValue }
        if let httpHeaderFields {
            request.allHTTPHeaderFields = httpHeaderFields
            if httpHeaderFields.hasNamesDifferingInCase { request = HTTPRequest(request).urlRequest ?? request }
        }
        switch task {
        case .requestPlain, .uploadFile, .uploadMultipart, .downloadDestination:
            return request
        case .requestData(let data):
            request.httpBody = data
            return request
        case .requestJSONEncodable(let value):
            return try request.encoding(value, with: JSONEncoder.moyaDefault)
        case .requestCustomJSONEncodable(let value, let encoder):
            return try request.encoding(value, with: encoder)
        case .requestParameters(let parameters, let encoding), .downloadParameters(let parameters, let encoding, _):
            return try request.encoding(parameters, with: encoding)
        case .requestCompositeData(let data, let urlParameters):
            request.httpBody = data
            return try request.encoding(urlParameters, with: URLEncoding.queryString)
        case .requestCompositeParameters(let bodyParameters, let bodyEncoding, let urlParameters):
            if let encoding = bodyEncoding as? URLEncoding, !encoding.writesToBody {
                throw MoyaError.parameterEncoding(TargetError.compositeEncodingNotInBody)
            }
            return try request.encoding(bodyParameters, with: bodyEncoding)
                .encoding(urlParameters, with: URLEncoding.queryString)
        case .uploadCompositeMultipart(_, let urlParameters):
            return try request.encoding(urlParameters, with: URLEncoding.queryString)
        }
    }
}

extension URLEncoding {
    fileprivate var writesToBody: Bool { if case .httpBody = destination { true } else { false } }
}

extension URLRequest {
    fileprivate func encoding(_ value: any Encodable, with encoder: JSONEncoder) throws -> URLRequest {
        var request = self
        do {
            request.httpBody = try encoder.encodeParameters(value)
        } catch {
            throw MoyaError.encodableMapping(error)
        }
        request.setContentTypeIfMissing("application/json")
        return request
    }

    fileprivate func encoding(
        _ parameters: [String: any Sendable], with encoding: any ParameterEncoding
    ) throws -> URLRequest {
        do {
            return try encoding.encode(self, with: parameters)
        } catch {
            throw MoyaError.parameterEncoding(error)
        }
    }
}
