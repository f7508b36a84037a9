import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Answers authentication challenges with a credential.
public final class CredentialsPlugin: PluginType {
    /// Returns the credential for a target, or `nil`.
    @preconcurrency
    public typealias CredentialClosure = @Sendable (any TargetType) -> URLCredential?

    private let credentialsClosure: CredentialClosure

    /// Makes a plugin.
    @preconcurrency
    public init(credentialsClosure: @escaping CredentialClosure) { self.credentialsClosure = credentialsClosure }

    /// Sets the credential of the request.
    public func willSend(_ request: any RequestType, target: any TargetType) {
        if let credential = credentialsClosure(target) { request.authenticate(with: credential) }
    }
}
