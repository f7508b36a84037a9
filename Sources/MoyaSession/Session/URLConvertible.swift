public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Something that names a URL: a `String`, a `URL` or `URLComponents`.
@preconcurrency
public protocol URLConvertible: Sendable {
    /// The URL.
    ///
    /// - Throws: ``SessionError/invalidURL(url:)`` when there is none.
    func asURL() throws -> URL
}

extension String: URLConvertible {
    /// The URL that the string spells; no character is escaped on the way.
    public func asURL() throws -> URL {
        guard let url = URL(spelled: self) else {
            throw SessionError.invalidURL(url: self)
        }
        return url
    }
}

extension URL: URLConvertible {
    /// The URL itself.
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    /// The URL that the components make together.
    public func asURL() throws -> URL {
        guard let url else { throw SessionError.invalidURL(url: self) }
        return url
    }
}

/// Something that makes a `URLRequest`; called anew for every attempt.
@preconcurrency
public protocol URLRequestConvertible: Sendable {
    /// The request.
    ///
    /// - Throws: Any error; one that is no ``SessionError`` ends the call as
    ///   ``SessionError/createURLRequestFailed(error:)``.
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request, or `nil` when it cannot be made.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}

extension URLRequest: URLRequestConvertible {
    /// The request itself.
    public func asURLRequest() throws -> URLRequest { self }
}

extension URLRequest {
    /// Makes a request with a method and header fields.
    ///
    /// - Throws: ``SessionError/invalidURL(url:)``.
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
        self.init(url: try url.asURL())
        httpMethod = method.rawValue
        allHTTPHeaderFields = headers?.dictionary
    }

    /// The method; `nil` when there is none.
    public var method: HTTPMethod? {
        get { httpMethod.map(HTTPMethod.init(rawValue:)) }
        set { httpMethod = newValue?.rawValue }
    }
}
