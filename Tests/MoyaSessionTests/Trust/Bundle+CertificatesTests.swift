import Foundation
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct BundleCertificatesTests {
    private func withBundle(_ files: [String: Data], _ body: (Bundle) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("moya-\(UUID().uuidString).bundle")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, content) in files { try content.write(to: directory.appendingPathComponent(name)) }
        try body(try #require(Bundle(path: directory.path)))
    }

    @Test func certificatesAreFoundByTheEndOfTheirNamesInEitherForm() throws {
        let files = [
            "leaf.cer": SampleCertificates.leaf.der, "root.crt": SampleCertificates.root,
            "rsa.DER": SampleCertificates.rsa.der, "other.pem": SampleCertificates.rsa,
        ]
        try withBundle(files) { bundle in
            let expected = [SampleCertificates.leaf.der, SampleCertificates.root.der, SampleCertificates.rsa.der]
            #expect(Set(bundle.pinnedCertificates) == Set(expected))
        }
    }

    @Test func filesWithoutCertificatesAreIgnored() throws {
        try withBundle(["junk.cer": Data("junk".utf8), "leaf.cer": SampleCertificates.leaf]) { bundle in
            #expect(bundle.pinnedCertificates == [SampleCertificates.leaf.der])
        }
    }

    @Test func keysAreThoseOfTheCertificates() throws {
        try withBundle(["rsa.cer": SampleCertificates.rsa]) { bundle in
            #expect(bundle.pinnedPublicKeys == CertificateForm.publicKeys(in: SampleCertificates.rsaKey))
        }
    }

    @Test func alamofiresNamesGiveTheSame() throws {
        try withBundle(["rsa.cer": SampleCertificates.rsa.der]) { bundle in
            #expect(bundle.af.certificates == bundle.pinnedCertificates)
            #expect(bundle.af.publicKeys == bundle.pinnedPublicKeys)
            #expect(bundle.af.certificates.count == 1)
        }
    }
}
