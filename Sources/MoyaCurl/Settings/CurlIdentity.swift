#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// A client certificate and key for libcurl, opened once so that no connection derives a key from a password again.
struct CurlIdentity: Sendable {
    let chain: PEMText
    let key: PEMText

    init(_ identity: TransportConfiguration.ClientIdentity) throws(TransportFailure) {
        if identity.password?.utf8.contains(0) == true {
            throw TransportFailure(.tls(.clientCertificate), message: "clientIdentity: a password cannot contain NUL.")
        }
        var chain = moya_text()
        var key = moya_text()
        let fault = Self.read(identity, chain: &chain, key: &key)
        self.chain = PEMText(taking: chain)
        self.key = PEMText(taking: key)
        if let message = Self.message(fault, of: identity) {
            throw TransportFailure(.tls(.clientCertificate), message: "clientIdentity: \(message)")
        }
    }

    /// Sets the identity on a handle, for servers that request one; `false` if libcurl lacks the options.
    func set(on easy: UnsafeMutableRawPointer) -> Bool {
        chain.set(CURLOPT_SSLCERT_BLOB, on: easy) && key.set(CURLOPT_SSLKEY_BLOB, on: easy)
    }

    /// Removes the identity from a handle.
    static func remove(from easy: UnsafeMutableRawPointer) {
        moya_easy_set_pointer(easy, CURLOPT_SSLCERT_BLOB, nil)
        moya_easy_set_pointer(easy, CURLOPT_SSLKEY_BLOB, nil)
    }

    private static func read(
        _ identity: TransportConfiguration.ClientIdentity, chain: inout moya_text, key: inout moya_text
    ) -> moya_identity_fault {
        switch identity {
        case .pem(let certificates, let privateKey, let password):
            let chainBytes = [UInt8](certificates)
            var keyBytes = [UInt8](privateKey)
            defer { keyBytes.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) } }
            return moya_identity_read_pem(
                chainBytes, chainBytes.count, keyBytes, keyBytes.count, password, &chain, &key)
        case .pkcs12(let archive, let password):
            let bytes = [UInt8](archive)
            return moya_identity_read_pkcs12(bytes, bytes.count, password, &chain, &key)
        }
    }

    private static func message(
        _ fault: moya_identity_fault, of identity: TransportConfiguration.ClientIdentity
    ) -> String? {
        switch fault {
        case MOYA_IDENTITY_USABLE: nil
        case MOYA_IDENTITY_BAD_CERTIFICATE: "the certificate chain is missing or malformed."
        case MOYA_IDENTITY_BAD_KEY: "the private key is missing or malformed."
        case MOYA_IDENTITY_NO_PASSWORD: "the private key is encrypted. Give its password."
        case MOYA_IDENTITY_WRONG_PASSWORD:
            if case .pkcs12 = identity {
                "the password does not open the PKCS#12 archive."
            } else {
                "the password does not open the private key."
            }
        case MOYA_IDENTITY_MISMATCH: "the private key is not the one of the first certificate of the chain."
        case MOYA_IDENTITY_BAD_ARCHIVE: "the PKCS#12 archive is missing or malformed."
        default:
            "the archive or the key is encrypted by an algorithm that this OpenSSL does not have. Export it anew, with AES."
        }
    }
}

extension TransportConfiguration.ClientIdentity {
    fileprivate var password: String? {
        switch self {
        case .pem(_, _, let password): password
        case .pkcs12(_, let password): password
        }
    }
}
#endif
