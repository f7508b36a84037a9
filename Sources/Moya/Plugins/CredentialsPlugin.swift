import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Answers the challenges of servers with a credential.
public final class CredentialsPlugin: PluginType {
    /// Gives the credential for a target; `nil` for none.
    public typealias CredentialClosure = @Sendable (any TargetType) -> URLCredential?

    private let credentialsClosure: CredentialClosure

    /// Makes a plugin.
    @preconcurrency
    public init(credentialsClosure: @escaping CredentialClosure) { self.credentialsClosure = credentialsClosure }

    /// Gives the request its credential.
    public func willSend(_ request: any RequestType, target: any TargetType) {
        if let credential = credentialsClosure(target) { request.authenticate(with: credential) }
    }
}
