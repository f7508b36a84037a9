#if canImport(Darwin)
import Foundation
import MoyaTransport
import Security

/// A client certificate and key in `URLSession`'s form.
///
/// `@unchecked`: a credential is immutable.
struct ClientIdentityCredential: @unchecked Sendable {
    let credential: URLCredential

    init(_ identity: TransportConfiguration.ClientIdentity) throws(TransportFailure) {
        guard case .pkcs12(let archive, let password) = identity else {
            throw .unsupported("clientIdentity: .pem", "takes a PKCS#12 archive; use .pkcs12")
        }
        #if os(macOS)
        // Reading an archive there would store its private key in the user's keychain.
        _ = (archive, password)
        throw .unsupported(
            "clientIdentity",
            "on macOS would store its private key in the user's keychain. Leave it out, and give the session a custom "
                + "transport whose URLSession delegate answers with an identity from the keychain")
        #else
        var items: CFArray?
        let options = [kSecImportExportPassphrase as String: password]
        let status = SecPKCS12Import(archive as CFData, options as CFDictionary, &items)
        guard status == errSecSuccess, let item = (items as? [[String: Any]])?.first,
            let found = item[kSecImportItemIdentity as String].map({ $0 as AnyObject }),
            CFGetTypeID(found) == SecIdentityGetTypeID()
        else {
            throw TransportFailure(
                .tls(.clientCertificate),
                message: "clientIdentity: the archive cannot be read with its password.", code: Int(status))
        }
        let chain = item[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
        credential = URLCredential(
            identity: unsafeDowncast(found, to: SecIdentity.self),
            // The identity includes the first certificate.
            certificates: Array(chain.dropFirst()), persistence: .none)
        #endif
    }
}
#endif
