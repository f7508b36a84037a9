import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionCore {
    /// The default credential in the configuration's storage for a challenge.
    func storedCredential(for url: URL?, _ scheme: AuthScheme, realm: String?) -> URLCredential? {
        guard let credentialStorage, let url, let host = url.comparableHost, let port = url.portOrDefault else {
            return nil
        }
        let space = URLProtectionSpace(
            host: host, port: port, protocol: url.scheme?.lowercased(), realm: realm,
            authenticationMethod: scheme.protectionSpaceMethod)
        if let credential = credentialStorage.defaultCredential(for: space) { return credential }
        // On Linux the storage finds a protection space only by identity, since two equal ones do not compare as equal.
        return credentialStorage.allCredentials.keys.lazy
            .filter { $0.hasSameParts(as: space) }
            .compactMap { credentialStorage.defaultCredential(for: $0) }
            .first
    }
}

extension AuthScheme {
    fileprivate var protectionSpaceMethod: String {
        switch self {
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .negotiate: NSURLAuthenticationMethodNegotiate
        case .ntlm: NSURLAuthenticationMethodNTLM
        case .basic: NSURLAuthenticationMethodHTTPBasic
        }
    }
}

extension URLProtectionSpace {
    fileprivate func hasSameParts(as other: URLProtectionSpace) -> Bool {
        host.lowercased() == other.host.lowercased() && port == other.port
            && self.protocol?.lowercased() == other.protocol?.lowercased() && realm == other.realm
            && authenticationMethod == other.authenticationMethod && isProxy() == other.isProxy()
    }
}
