package import Foundation

/// A block of a PEM text (RFC 7468): `-----BEGIN label-----`, bytes in Base64, `-----END label-----`.
package struct PEMBlock: Sendable, Hashable {
    /// The type of the block: `CERTIFICATE`, `PUBLIC KEY`, `X509 CRL`.
    package var label: String
    /// The bytes, in DER form.
    package var bytes: Data

    /// The blocks of a text, in order; `nil` if it has none, or one is truncated or not Base64.
    package static func all(in content: Data) -> [PEMBlock]? {
        // Latin-1 decodes any bytes, and the text between the blocks is irrelevant.
        guard !isSequence(content), let text = String(data: content, encoding: .isoLatin1) else { return nil }
        var blocks: [PEMBlock] = []
        var rest = text[...]
        while let begin = rest.range(of: "-----BEGIN ") {
            rest = rest[begin.upperBound...]
            guard let afterLabel = rest.range(of: "-----") else { return nil }
            let label = String(rest[..<afterLabel.lowerBound])
            rest = rest[afterLabel.upperBound...]
            guard let end = rest.range(of: "-----END \(label)-----"),
                let bytes = decode(rest[..<end.lowerBound])
            else { return nil }
            blocks.append(PEMBlock(label: label, bytes: bytes))
            rest = rest[end.upperBound...]
        }
        return blocks.isEmpty ? nil : blocks
    }

    /// `true` for the beginning of a DER sequence, whose tag is the digit 0 in ASCII.
    private static func isSequence(_ content: Data) -> Bool {
        let head = [UInt8](content.prefix(2))
        return head.count == 2 && head[0] == 0x30 && (head[1] >= 0x80 || content.count == 2 + Int(head[1]))
    }

    private static func decode(_ lines: Substring) -> Data? {
        let bytes = Data(base64Encoded: String(lines.filter { !$0.isWhitespace }))
        return bytes.flatMap { $0.isEmpty ? nil : $0 }
    }
}
