import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A `URLRequest` to be made of its parts.
struct RequestParts: URLRequestConvertible {
    let url: any URLConvertible
    let method: HTTPMethod
    let parameters: Parameters?
    let encoding: any ParameterEncoding
    let headers: HTTPHeaders?
    let modifier: Session.RequestModifier?

    func asURLRequest() throws -> URLRequest {
        var request = try URLRequest(url: url, method: method, headers: headers)
        try modifier?(&request)
        return try encoding.encode(request, with: parameters)
    }
}

/// A `URLRequest` to be made of its parts, its parameters an `Encodable` value.
struct EncodableRequestParts<Parameters: Encodable & Sendable>: URLRequestConvertible {
    let url: any URLConvertible
    let method: HTTPMethod
    let parameters: Parameters?
    let encoder: any ParameterEncoder
    let headers: HTTPHeaders?
    let modifier: Session.RequestModifier?

    func asURLRequest() throws -> URLRequest {
        var request = try URLRequest(url: url, method: method, headers: headers)
        try modifier?(&request)
        return try encoder.encode(parameters, into: request)
    }
}

/// The head of an upload, to be made of its parts.
struct UploadRequestParts: URLRequestConvertible {
    let url: any URLConvertible
    let method: HTTPMethod
    let headers: HTTPHeaders?
    let modifier: Session.RequestModifier?

    func asURLRequest() throws -> URLRequest {
        var request = try URLRequest(url: url, method: method, headers: headers)
        try modifier?(&request)
        return request
    }
}
