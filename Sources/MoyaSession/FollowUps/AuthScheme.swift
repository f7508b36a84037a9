import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An authentication scheme that challenges are answered by.
enum AuthScheme: String, CaseIterable {
    // In order of preference: a password that never travels, then what needs no domain, then what shows the password.
    case digest = "Digest"
    case negotiate = "Negotiate"
    case ntlm = "NTLM"
    case basic = "Basic"

    /// The one to answer by, of those that a server offers (RFC 9110 section 11.6.1).
    static func strongest(in challenges: [AuthenticationChallenge]) -> AuthScheme? {
        allCases.first { $0.challenge(in: challenges) != nil }
    }

    /// The scheme as the transport knows it; `nil` for what the engine answers itself.
    var carriedOutByTransport: TransportAuthentication.Scheme? {
        switch self {
        case .digest: .digest
        case .negotiate: .negotiate
        case .ntlm: .ntlm
        case .basic: nil
        }
    }

    func challenge(in challenges: [AuthenticationChallenge]) -> AuthenticationChallenge? {
        challenges.first { ASCII.equalIgnoringCase($0.scheme, rawValue) }
    }

    fileprivate var protectionSpaceMethod: String {
        switch self {
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .negotiate: NSURLAuthenticationMethodNegotiate
        case .ntlm: NSURLAuthenticationMethodNTLM
        case .basic: NSURLAuthenticationMethodHTTPBasic
        }
    }
}

extension SessionCore {
    /// The default credential that the configuration's storage has for a challenge.
    func storedCredential(for url: URL?, _ scheme: AuthScheme, realm: String?) -> URLCredential? {
        guard let credentialStorage, let url, let host = url.host(percentEncoded: false) else { return nil }
        let space = URLProtectionSpace(
            host: host, port: url.port ?? (url.scheme == "https" ? 443 : 80), protocol: url.scheme,
            realm: realm, authenticationMethod: scheme.protectionSpaceMethod)
        if let credential = credentialStorage.defaultCredential(for: space) { return credential }
        // On Linux the storage finds a space by its object alone, since two of the same parts are not equal.
        return credentialStorage.allCredentials.keys.lazy
            .filter { $0.hasSameParts(as: space) }
            .compactMap { credentialStorage.defaultCredential(for: $0) }
            .first
    }
}

extension URLProtectionSpace {
    fileprivate func hasSameParts(as other: URLProtectionSpace) -> Bool {
        host == other.host && port == other.port && self.protocol == other.protocol && realm == other.realm
            && authenticationMethod == other.authenticationMethod && isProxy() == other.isProxy()
    }
}
