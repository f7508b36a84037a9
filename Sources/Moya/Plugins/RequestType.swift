import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A request as a plugin sees it.
public protocol RequestType {
    /// The request that is sent.
    var request: URLRequest? { get }

    /// The header fields that the session adds where the request does not set them.
    var sessionHeaders: [String: String] { get }

    /// Answers a challenge by the server with a user name and a password.
    @discardableResult
    func authenticate(username: String, password: String, persistence: URLCredential.Persistence) -> Self

    /// Answers a challenge by the server with a credential.
    @discardableResult
    func authenticate(with credential: URLCredential) -> Self

    /// Calls a handler with the request as a command line of curl, once it is known.
    @discardableResult
    @preconcurrency
    func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self
}
