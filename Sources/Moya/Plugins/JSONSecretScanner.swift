import Foundation
import MoyaSession

/// Finds keys in JSON, and masks the values of secret ones.
///
/// It reads bytes rather than values, so that what is logged is what was sent, and so that JSON which breaks off or is
/// not quite JSON gives no secret away either.
struct JSONSecretScanner {
    private let bytes: [UInt8]
    private let masksSecret: (String) -> Bool
    private var position = 0

    init(bytes: [UInt8], masksSecret: @escaping (String) -> Bool) {
        self.bytes = bytes
        self.masksSecret = masksSecret
    }

    /// The JSON with secrets masked; `nil` when there are none.
    mutating func masked() -> [UInt8]? {
        var masked: [UInt8] = []
        var copied = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let start = position
            skipString()
            let key = start..<position
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else { continue }
            position += 1
            skipSpace()
            guard position < bytes.count, !isNull, masksSecret(text(of: key)) else { continue }
            masked += bytes[copied..<position]
            masked += "\"\(SecretMask.text)\"".utf8
            skipValue()
            copied = position
        }
        return copied == 0 ? nil : masked + bytes[copied...]
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    /// That there is no secret may be told.
    private var isNull: Bool { bytes[position...].starts(with: "null".utf8) }

    /// The text of a string with its quotes; escapes are few, so they are left to Foundation.
    private func text(of string: Range<Int>) -> String {
        let quoted = bytes[string]
        if quoted.contains(UInt8(ascii: "\\")),
            let text = try? JSONSerialization.jsonObject(with: Data(quoted), options: .fragmentsAllowed) as? String
        {
            return text
        }
        return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    /// Goes from a quote to after the one that ends the string, or to the end.
    private mutating func skipString() {
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, bytes.count)
    }

    private mutating func skipValue() {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    position += 1
                    return
                }
            case UInt8(ascii: ","): if depth == 0 { return }
            default: break
            }
            position += 1
        }
    }
}
