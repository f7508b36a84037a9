import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A plugin's view of a request.
public protocol RequestType {
    /// The request to send.
    var request: URLRequest? { get }

    /// The header fields that the session adds if the request does not set them.
    var sessionHeaders: [String: String] { get }

    /// Answers a server's challenge with a user name and a password.
    @discardableResult
    func authenticate(username: String, password: String, persistence: URLCredential.Persistence) -> Self

    /// Answers a server's challenge with a credential.
    @discardableResult
    func authenticate(with credential: URLCredential) -> Self

    /// Calls a handler with the request as a curl command line, once it is known.
    @discardableResult
    @preconcurrency
    func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self
}
