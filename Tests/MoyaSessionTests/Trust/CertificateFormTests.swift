import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct CertificateFormTests {
    private let leaf = SampleCertificates.leaf
    private let root = SampleCertificates.root

    @Test func everyCertificateOfAPEMTextIsRead() {
        #expect(CertificateForm.certificates(in: leaf + root) == [leaf.der, root.der])
    }

    /// A zero is the tag of a DER sequence.
    @Test(arguments: ["subject: caf\u{E9}\n", "0 my root\n"]) func textBetweenTheBlocksIsIgnored(start: String) {
        let text = Data(start.utf8) + leaf + Data("\nissuer\n".utf8) + SampleCertificates.leafKey
        #expect(CertificateForm.certificates(in: text) == [leaf.der])
    }

    @Test func linesMayEndAsOnWindows() {
        let text = Data(String(decoding: leaf, as: UTF8.self).replacingOccurrences(of: "\n", with: "\r\n").utf8)
        #expect(CertificateForm.certificates(in: text) == [leaf.der])
    }

    @Test func aCertificateInDERFormIsRead() {
        #expect(CertificateForm.certificates(in: leaf.der) == [leaf.der])
    }

    @Test(arguments: [SampleCertificates.leaf.der, SampleCertificates.rsa.der])
    func truncatedCertificateIsRefused(certificate: Data) {
        for count in 0..<certificate.count {
            #expect(CertificateForm.certificates(in: certificate.prefix(count)) == nil)
        }
        #expect(CertificateForm.certificates(in: certificate + [0]) == nil)
    }

    @Test func aBrokenByteNeverTrapsTheReader() {
        var generator = SeededGenerator(seed: 16)
        for _ in 0..<2_000 {
            var broken = leaf.der
            broken[Int.random(in: 0..<broken.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            _ = CertificateForm.publicKeys(in: broken)
        }
    }

    @Test(arguments: [
        "", "garbage", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA",
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    ])
    func otherBytesAreNoCertificate(text: String) {
        #expect(CertificateForm.certificates(in: Data(text.utf8)) == nil)
        #expect(CertificateForm.publicKeys(in: Data(text.utf8)) == nil)
    }

    @Test func aKeyFileHoldsNoCertificate() {
        #expect(CertificateForm.certificates(in: SampleCertificates.leafKey) == nil)
    }

    @Test(arguments: [
        (SampleCertificates.leaf, SampleCertificates.leafKey), (SampleCertificates.rsa, SampleCertificates.rsaKey),
    ])
    func theKeyOfACertificateIsTheOneInItsKeyFile(certificate: Data, key: Data) throws {
        let expected = try #require(CertificateForm.publicKeys(in: key)?.first)
        #expect(CertificateForm.publicKey(ofCertificate: certificate.der) == expected)
        #expect(CertificateForm.publicKeys(in: certificate) == [expected])
        #expect(CertificateForm.publicKeys(in: certificate.der) == [expected])
        #expect(CertificateForm.publicKeys(in: expected) == [expected])
    }

    @Test func revocationListsAreReadInBothForms() throws {
        let list = try #require(CertificateForm.revocationLists(in: SampleCertificates.revocationList)?.first)
        #expect(CertificateForm.revocationLists(in: list) == [list])
        #expect(CertificateForm.revocationLists(in: list.dropLast()) == nil)
        #expect(CertificateForm.revocationLists(in: leaf) == nil)
    }
}
