package import Foundation

/// An element of a DER encoding (ITU-T X.690): a tag, a length, and content.
package struct DERElement {
    /// The tag's byte; multi-byte tags do not occur in the supported structures.
    package let tag: UInt8
    /// The bytes after tag and length.
    package let content: Data
    /// The whole element.
    package let bytes: Data

    static let sequence: UInt8 = 0x30
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let objectIdentifier: UInt8 = 0x06
    static let version: UInt8 = 0xA0

    /// Removes the first element from the bytes; `nil` if it is malformed or truncated.
    package static func take(from bytes: inout Data) -> DERElement? {
        let start = bytes.startIndex
        guard bytes.count >= 2 else { return nil }
        var length = Int(bytes[start + 1])
        var headerLength = 2
        if length >= 0x80 {
            let count = length & 0x7F
            // A length of four bytes exceeds any certificate; no byte is the indefinite form, which DER does not allow.
            guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
            length = bytes[(start + 2)..<(start + 2 + count)].reduce(0) { $0 << 8 | Int($1) }
            headerLength += count
        }
        // Negative where `Int` has 32 bits.
        guard length >= 0, bytes.count - headerLength >= length else { return nil }
        let end = start + headerLength + length
        defer { bytes = bytes[end...] }
        return DERElement(
            tag: bytes[start], content: bytes[(start + headerLength)..<end], bytes: bytes[start..<end])
    }

    /// The elements of the content; `nil` if it is malformed.
    var elements: [DERElement]? {
        var rest = content
        var elements: [DERElement] = []
        while !rest.isEmpty {
            guard let element = DERElement.take(from: &rest) else { return nil }
            elements.append(element)
        }
        return elements
    }

    /// The single sequence that the bytes encode; `nil` for anything else.
    static func sequence(_ bytes: Data) -> [DERElement]? {
        var rest = bytes
        guard let element = take(from: &rest), rest.isEmpty, element.tag == sequence else { return nil }
        return element.elements
    }
}
