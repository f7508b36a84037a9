public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension String: URLConvertible {
    /// The URL of the string, without percent-encoding any character.
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
    /// The URL of the components.
    public func asURL() throws -> URL {
        guard let url else { throw SessionError.invalidURL(url: self) }
        return url
    }
}

extension URLRequestConvertible {
    /// The request; `nil` if making it throws.
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

    /// The method; `nil` if the request has none.
    public var method: HTTPMethod? {
        get { httpMethod.map(HTTPMethod.init(rawValue:)) }
        set { httpMethod = newValue?.rawValue }
    }
}
