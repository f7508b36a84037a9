package import Foundation

/// Reads certificates, public keys and revocation lists in DER and PEM (RFC 7468) form.
package enum CertificateForm {
    /// The certificates in a value, in DER form; `nil` without one, or if one is malformed.
    package static func certificates(in content: Data) -> [Data]? {
        values(labelled: "CERTIFICATE", in: content) { publicKey(ofCertificate: $0) != nil }
    }

    /// The public keys in a value, each as a SubjectPublicKeyInfo in DER form (RFC 5280 section 4.1.2.7): keys
    /// themselves, or those of contained certificates; `nil` without one, or if one is malformed.
    package static func publicKeys(in content: Data) -> [Data]? {
        guard let blocks = PEMBlock.all(in: content) else { return publicKey(in: content).map { [$0] } }
        let relevant = blocks.filter { $0.label == "CERTIFICATE" || $0.label == "PUBLIC KEY" }
        let keys = relevant.compactMap { publicKey(in: $0.bytes) }
        return keys.isEmpty || keys.count != relevant.count ? nil : keys
    }

    /// The revocation lists in a value, in DER form; `nil` without one, or if one is malformed.
    package static func revocationLists(in content: Data) -> [Data]? {
        values(labelled: "X509 CRL", in: content) { DERElement.sequence($0) != nil }
    }

    private static func values(labelled label: String, in content: Data, _ isValid: (Data) -> Bool) -> [Data]? {
        let values = PEMBlock.all(in: content)?.filter { $0.label == label }.map(\.bytes) ?? [content]
        return values.isEmpty || !values.allSatisfy(isValid) ? nil : values
    }

    /// The public key of a certificate in DER form, as a SubjectPublicKeyInfo; `nil` if it is not a certificate.
    package static func publicKey(ofCertificate certificate: Data) -> Data? {
        // Certificate: signed content, algorithm, signature (RFC 5280 section 4.1).
        guard let parts = DERElement.sequence(certificate), parts.count == 3, parts[0].tag == DERElement.sequence,
            parts[2].tag == DERElement.bitString, var fields = parts[0].elements
        else { return nil }
        if fields.first?.tag == DERElement.version { fields.removeFirst() }
        // Serial number, algorithm, issuer, validity, subject, key.
        guard fields.count >= 6, fields[0].tag == DERElement.integer,
            fields[1...5].allSatisfy({ $0.tag == DERElement.sequence }), isPublicKey(fields[5].elements)
        else { return nil }
        return Data(fields[5].bytes)
    }

    private static func publicKey(in content: Data) -> Data? {
        if isPublicKey(DERElement.sequence(content)) { return content }
        return publicKey(ofCertificate: content)
    }

    /// `true` if the elements form a SubjectPublicKeyInfo: an algorithm, which begins with its name, and the key.
    private static func isPublicKey(_ elements: [DERElement]?) -> Bool {
        guard let elements, elements.count == 2, elements[0].tag == DERElement.sequence else { return false }
        return elements[0].elements?.first?.tag == DERElement.objectIdentifier
            && elements[1].tag == DERElement.bitString && elements[1].content.count > 1
    }
}
