public import Foundation

extension Bundle {
    /// The certificates among the bundle's resources, in DER form: files that end in `cer`, `crt` or `der`, in DER or
    /// PEM form; files without certificates are ignored.
    public var pinnedCertificates: [Data] {
        ["cer", "CER", "crt", "CRT", "der", "DER"]
            .flatMap { paths(forResourcesOfType: $0, inDirectory: nil) }
            .compactMap { FileManager.default.contents(atPath: $0) }
            .flatMap { CertificateForm.certificates(in: $0) ?? [] }
    }

    /// The public keys of those certificates, each as a SubjectPublicKeyInfo in DER form.
    public var pinnedPublicKeys: [Data] {
        pinnedCertificates.compactMap(CertificateForm.publicKey(ofCertificate:))
    }
}

extension Bundle {
    /// The bundle's certificates and keys, as Alamofire names them.
    public struct Pins {
        fileprivate let bundle: Bundle

        /// The certificates, in DER form; see `pinnedCertificates`.
        public var certificates: [Data] { bundle.pinnedCertificates }
        /// The public keys, each as a SubjectPublicKeyInfo in DER form; see `pinnedPublicKeys`.
        public var publicKeys: [Data] { bundle.pinnedPublicKeys }
    }

    /// The bundle's certificates and keys, as Alamofire names them.
    public var af: Pins { Pins(bundle: self) }
}
