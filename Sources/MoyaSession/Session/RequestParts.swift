#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension Session {
    /// Changes a `URLRequest` after it is made, before any other code sees it.
    public typealias RequestModifier = @Sendable (inout URLRequest) throws -> Void
}

/// Makes a `URLRequest` from a URL, a method and header fields.
struct RequestParts: URLRequestConvertible {
    let url: any URLConvertible
    let method: HTTPMethod
    let headers: HTTPHeaders?
    let modifier: Session.RequestModifier?
    /// Adds the parameters, after the modifier.
    var encode: @Sendable (URLRequest) throws -> URLRequest = { $0 }

    func asURLRequest() throws -> URLRequest {
        var request = try URLRequest(url: url, method: method, headers: headers)
        try modifier?(&request)
        return try encode(request)
    }
}
