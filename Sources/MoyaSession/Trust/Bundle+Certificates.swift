public import Foundation

extension Bundle {
    /// The certificates among the bundle's resources, in DER form: of the files that end in `cer`, `crt` or `der`, in DER
    /// or PEM form; files that hold none are passed over.
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
