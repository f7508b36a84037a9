public import MoyaTransport

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension HTTPRequest {
    /// Makes a request of a `URLRequest`, without its body, which is made ready when it is sent.
    package init(_ urlRequest: URLRequest) {
        self.init(
            method: urlRequest.httpMethod ?? "GET", url: urlRequest.url?.bareText ?? "",
            fields: (urlRequest.allHTTPHeaderFields ?? [:]).map { HTTPField(name: $0.key, value: $0.value) })
        self.urlRequest = urlRequest
    }
}

extension HTTPRequest: URLRequestConvertible {
    /// The request as Foundation has it: the `URLRequest` that it was made of or, without one, a new one without a body.
    ///
    /// - Throws: ``SessionError/invalidURL(url:)``.
    public func asURLRequest() throws -> URLRequest {
        if let urlRequest { return urlRequest }
        var request = URLRequest(url: try url.asURL())
        // GET is what it has already, and setting it costs more than parsing the URL.
        if method != "GET" { request.httpMethod = method }
        if !fields.isEmpty {
            request.allHTTPHeaderFields = Dictionary(
                fields.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
        }
        return request
    }
}
