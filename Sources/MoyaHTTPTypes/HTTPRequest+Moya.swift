#if HTTPTypes
import Foundation
public import HTTPTypes
public import MoyaSession
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension MoyaTransport.HTTPRequest {
    /// Makes a request from one of swift-http-types.
    ///
    /// An empty or missing path becomes `/`. The URL keeps its spelling.
    ///
    /// - Parameters:
    ///   - request: The method, the parts of the URL and the fields.
    ///   - body: The body, which is not part of a request of swift-http-types.
    /// - Throws: ``HTTPTypesConversionError`` for CONNECT, and for a scheme, an authority or a path that form no URL.
    public init(
        _ request: HTTPTypes.HTTPRequest, body: TransportBody = .none
    ) throws(HTTPTypesConversionError) {
        guard Self.isMethod(request.method.rawValue), request.extendedConnectProtocol == nil else {
            throw .invalidMethod(request.method.rawValue)
        }
        guard let scheme = request.scheme, ["http", "https"].contains(where: { ASCII.equalIgnoringCase($0, scheme) })
        else {
            throw .invalidURL(problem: "its scheme is neither http nor https.")
        }
        guard let authority = request.authority, !authority.isEmpty else {
            throw .invalidURL(problem: "its authority is missing.")
        }
        guard !authority.utf8.contains(where: ASCII.endsAuthority) else {
            throw .invalidURL(problem: "its authority has a slash, a question mark or a number sign.")
        }
        let path = request.path ?? ""
        guard path.isEmpty || path.utf8.first == UInt8(ascii: "/") || path.utf8.first == UInt8(ascii: "?") else {
            throw .invalidURL(problem: "its path does not begin with a slash.")
        }
        guard !path.utf8.contains(UInt8(ascii: "#")) else { throw .invalidURL(problem: "its path has a fragment.") }
        let slash = path.utf8.first == UInt8(ascii: "/") ? "" : "/"
        let url = "\(scheme)://\(authority)\(slash)\(path)"
        if let problem = Self.problem(ofURL: url) { throw .unsendableURL(problem) }
        self.init(
            method: request.method.rawValue, url: url, fields: [MoyaTransport.HTTPField](request.headerFields),
            body: body)
    }
}

extension HTTPTypes.HTTPRequest {
    /// Makes a request of swift-http-types, without the body.
    ///
    /// A URL without a path gets `/`, and a fragment is dropped, as when sent.
    ///
    /// - Throws: ``HTTPTypesConversionError`` for a URL, a method or a field that no transport sends.
    public init(_ request: MoyaTransport.HTTPRequest) throws(HTTPTypesConversionError) {
        if let problem = MoyaTransport.HTTPRequest.problem(ofURL: request.url) { throw .unsendableURL(problem) }
        guard MoyaTransport.HTTPRequest.isMethod(request.method), let method = Method(request.method) else {
            throw .invalidMethod(request.method)
        }
        let parts = URLParts(request.url)
        guard !parts.authority.isEmpty else { throw .invalidURL(problem: "its authority is missing.") }
        self.init(
            method: method, scheme: parts.scheme, authority: parts.authority, path: parts.path,
            headerFields: try HTTPTypes.HTTPFields(request.fields))
    }
}

/// The parts of an absolute URL, in their original spelling.
private struct URLParts {
    let scheme: String
    let authority: String
    let path: String

    init(_ url: String) {
        let bytes = url.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        scheme = String(url[..<colon])
        let rest = url[colon...].dropFirst("://".count)
        let end = rest.utf8.firstIndex(where: ASCII.endsAuthority) ?? rest.endIndex
        authority = String(rest[..<end])
        let target = rest[end...].prefix { $0 != "#" }
        path = target.utf8.first == UInt8(ascii: "/") ? String(target) : "/" + target
    }
}

extension HTTPTypes.HTTPRequest: URLRequestConvertible {
    /// Makes the request for a session: `session.request(request)`.
    ///
    /// Lines with the same name are joined, as by `HTTPHeaders`.
    ///
    /// - Throws: ``HTTPTypesConversionError``.
    public func asURLRequest() throws -> URLRequest {
        let request = try MoyaTransport.HTTPRequest(self)
        guard let url = URL(spelled: request.url) else {
            throw HTTPTypesConversionError.invalidURL(problem: "Foundation rejects its URL.")
        }
        var made = URLRequest(url: url)
        made.httpMethod = request.method
        made.headers = HTTPHeaders(headerFields)
        return made
    }
}
#endif
