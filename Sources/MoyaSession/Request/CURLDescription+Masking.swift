import Foundation
package import MoyaTransport

extension CURLDescription {
    /// Masks the secrets in the words of a curl command, and quotes those words again.
    ///
    /// Masking the command itself would take the shell's escapes for those of JSON, and remove them. Words without a
    /// secret are unchanged. Any other text than a curl command is masked as text.
    package static func masked(_ command: String, with mask: SecretMask) -> String {
        let name = command.drop { " $".contains($0) }
        guard name.hasPrefix("curl "), !command.utf8.contains(0) else { return mask.text(command) }
        var bytes = command.utf8[...]
        var masked = ""
        var isCredential = false
        while let first = bytes.first {
            var word: [UInt8] = []
            let rest = shellWord(in: bytes, &word)
            if rest.startIndex == bytes.startIndex {
                masked.unicodeScalars.append(Unicode.Scalar(first))
                bytes = bytes.dropFirst()
                continue
            }
            let plain = Data(word)
            let shown = isCredential ? Data(SecretMask.text.utf8) : mask.body(plain)
            isCredential = credentialOptions.contains(String(decoding: word, as: UTF8.self))
            masked +=
                shown == plain
                ? String(decoding: bytes[..<rest.startIndex], as: UTF8.self)
                : quoted(String(decoding: shown, as: UTF8.self))
            bytes = rest
        }
        return masked
    }

    /// The options whose next word is a credential, of which curl makes fields itself.
    private static let credentialOptions: Set<String> = ["-u", "--user", "-U", "--proxy-user", "-b", "--cookie"]

    /// Reads a word without its quotation marks and escapes, and returns the text after it; nothing at white space.
    private static func shellWord(in text: Substring.UTF8View, _ word: inout [UInt8]) -> Substring.UTF8View {
        var text = text
        /// The mark around the current part of the word; that of `$'…'` is a dollar sign.
        var mark: UInt8?
        while let byte = text.first {
            let next = text.dropFirst().first
            switch (mark, byte) {
            case (nil, UInt8(ascii: " ")), (nil, UInt8(ascii: "\t")), (nil, UInt8(ascii: "\n")): return text
            case (nil, UInt8(ascii: "\"")), (nil, UInt8(ascii: "'")): mark = byte
            case (nil, UInt8(ascii: "$")) where next == UInt8(ascii: "'"):
                mark = byte
                text = text.dropFirst()
            case (UInt8(ascii: "\""), UInt8(ascii: "\"")), (UInt8(ascii: "'"), UInt8(ascii: "'")),
                (UInt8(ascii: "$"), UInt8(ascii: "'")):
                mark = nil
            case (UInt8(ascii: "\""), UInt8(ascii: "\\")) where next.map { !"\"\\$`\n".utf8.contains($0) } ?? true:
                word.append(byte)
            case (UInt8(ascii: "'"), _): word.append(byte)
            case (UInt8(ascii: "$"), UInt8(ascii: "\\")):
                word += next.map { [escapedByDollar($0)] } ?? []
                text = text.dropFirst()
            case (_, UInt8(ascii: "\\")):
                // An escaped line break continues the line.
                if let next, next != UInt8(ascii: "\n") { word.append(next) }
                text = text.dropFirst()
            default: word.append(byte)
            }
            text = text.dropFirst()
        }
        return text
    }

    /// The character after a backslash in `$'…'`.
    private static func escapedByDollar(_ escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }
}
