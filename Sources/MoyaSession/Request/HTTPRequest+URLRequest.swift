public import MoyaTransport

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension HTTPRequest {
    /// Makes a request from a `URLRequest`, without its body, which is prepared when it is sent.
    ///
    /// The fields are in ascending order of names: a dictionary's order differs between equal requests, and the wire
    /// prepares equal fields once. Of names that differ only in case, which Foundation on Linux keeps apart, the last one
    /// is kept.
    package init(_ urlRequest: URLRequest) {
        var urlRequest = urlRequest
        let headerFields = urlRequest.allHTTPHeaderFields ?? [:]
        var fields = headerFields.map { HTTPField(name: $0.key, value: $0.value) }
        if fields.count > 1 {
            fields.sort { $0.name < $1.name }
            if headerFields.hasNamesDifferingInCase {
                fields.keepLastOfEqualNames()
                urlRequest.allHTTPHeaderFields = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
            }
        }
        self.init(method: urlRequest.httpMethod ?? "GET", url: urlRequest.url?.bareText ?? "", fields: fields)
        self.urlRequest = urlRequest
    }
}

extension HTTPRequest: URLRequestConvertible {
    /// The `URLRequest` that the request was made from; otherwise a new one, whose body is only one in memory.
    ///
    /// - Throws: ``SessionError/invalidURL(url:)``.
    public func asURLRequest() throws -> URLRequest {
        if let urlRequest { return urlRequest }
        var request = URLRequest(url: try url.asURL())
        // GET is the default, and setting it costs more than parsing the URL.
        if method != "GET" { request.httpMethod = method }
        if !fields.isEmpty {
            request.allHTTPHeaderFields = Dictionary(
                fields.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
        }
        if case .data(let data) = body { request.httpBody = data }
        return request
    }

    /// Makes the request from a `URLRequest` that user code has made of this one, without its body; what a `URLRequest`
    /// does not have is kept.
    func changed(to urlRequest: URLRequest) -> HTTPRequest {
        var request = HTTPRequest(urlRequest)
        request.authentication = authentication
        request.body = body
        return request
    }
}

extension [HTTPField] {
    /// Removes all but the last of the fields whose names differ only in case (RFC 9110 section 5.1).
    fileprivate mutating func keepLastOfEqualNames() {
        self = indices.filter { index in
            !self[(index + 1)...].contains { ASCII.equalIgnoringCase($0.name, self[index].name) }
        }.map { self[$0] }
    }
}
