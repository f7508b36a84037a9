public import Foundation

extension TransportConfiguration {
    /// A certificate and its private key, which prove the client's identity to a server.
    public enum ClientIdentity: Sendable, Hashable {
        /// Certificates and a private key in PEM form (RFC 7468): the client's own certificate first, then intermediate
        /// certificates towards an authority that the server trusts.
        case pem(certificateChain: Data, privateKey: Data, password: String? = nil)
        /// Certificates and a private key in one PKCS#12 archive (RFC 7292).
        case pkcs12(Data, password: String)

        /// Reads an identity from two PEM files, which may be the same one.
        ///
        /// - Throws: ``TransportFailure`` of the kind ``TransportFailure/TLSReason/clientCertificate``, with the file's name.
        public static func pem(
            certificateChainFile: URL, privateKeyFile: URL, password: String? = nil
        ) throws -> ClientIdentity {
            .pem(
                certificateChain: try contents(of: certificateChainFile),
                privateKey: try contents(of: privateKeyFile),
                password: password)
        }

        /// Reads an identity from a PKCS#12 file, usually named `p12` or `pfx`.
        ///
        /// - Throws: ``TransportFailure`` of the kind ``TransportFailure/TLSReason/clientCertificate``, with the file's name.
        public static func pkcs12(file: URL, password: String) throws -> ClientIdentity {
            .pkcs12(try contents(of: file), password: password)
        }

        /// The SHA-256 digest of the certificates, in hexadecimal digits.
        package var digest: String {
            let certificates =
                switch self {
                case .pem(let chain, _, _): chain
                case .pkcs12(let archive, _): archive
                }
            return SHA256.text(Array(certificates))
        }

        private static func contents(of file: URL) throws -> Data {
            do throws(RegularFile.Refusal) {
                return try RegularFile.contents(of: file)
            } catch {
                throw TransportFailure(
                    .tls(.clientCertificate), message: "clientIdentity: the file \(file.path) \(error).", cause: error)
            }
        }
    }
}

extension TransportConfiguration.ClientIdentity: MaskedDescription {
    /// The form of the identity, without the key and the password.
    public var description: String {
        switch self {
        case .pem(let chain, _, _): "ClientIdentity.pem(\(chain.count) bytes of certificates, a private key)"
        case .pkcs12(let archive, _): "ClientIdentity.pkcs12(\(archive.count) bytes)"
        }
    }
}

extension TransportConfiguration {
    /// Parses ``clientIdentityOrigins``; `nil` for every server.
    ///
    /// - Throws: ``TransportFailure`` of the kind ``TransportFailure/TLSReason/clientCertificate``, with the text that
    ///   is not an origin.
    package func readIdentityOrigins() throws(TransportFailure) -> Set<HTTPOrigin>? {
        guard let clientIdentityOrigins else { return nil }
        var origins: Set<HTTPOrigin> = []
        for text in clientIdentityOrigins {
            guard let origin = HTTPOrigin(setting: text), origin.isOverTLS else {
                let shown = SecretMask.standard.url(text).debugDescription
                throw Self.unusable(
                    "\(shown) is no origin of a server that speaks TLS. Give https:// and a host, and a port where it "
                        + "is not 443.")
            }
            origins.insert(origin)
        }
        guard !origins.isEmpty else {
            throw Self.unusable("the list is empty, so that no server would see the certificate. Name one, or use nil.")
        }
        return origins
    }

    private static func unusable(_ message: String) -> TransportFailure {
        TransportFailure(.tls(.clientCertificate), message: "clientIdentityOrigins: \(message)")
    }
}
