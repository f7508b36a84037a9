public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A type that can be converted to a URL, such as `String`, `URL` or `URLComponents`.
@preconcurrency
public protocol URLConvertible: Sendable {
    /// The URL.
    ///
    /// - Throws: ``SessionError/invalidURL(url:)`` if it is not a valid URL.
    func asURL() throws -> URL
}

/// A type that makes a `URLRequest`; it is called again for every attempt.
@preconcurrency
public protocol URLRequestConvertible: Sendable {
    /// The request.
    ///
    /// - Throws: Any error; one that is not a ``SessionError`` ends the call as
    ///   ``SessionError/createURLRequestFailed(error:)``.
    func asURLRequest() throws -> URLRequest
}
