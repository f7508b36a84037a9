import Foundation
import MoyaTransport

extension URL {
    /// Resolves a reference in a server's field, such as `Location`; `nil` if it is malformed.
    ///
    /// Characters that a URL may not contain are percent-encoded. Foundation would do so as well, but encode the percent
    /// signs in the same part once more: `?a[]=%20` would become `?a%5B%5D=%2520`.
    init?(reference: String, relativeTo base: URL) {
        self.init(string: Self.escaped(reference), relativeTo: base)
    }

    private static func escaped(_ reference: String) -> String {
        let end = reference.utf8.index(reference.startIndex, offsetBy: endOfAuthority(in: Array(reference.utf8)))
        return reference[..<end] + PercentEncoding.reference.encode(String(reference[end...]))
    }

    /// The position after the host and the port, whose characters are for Foundation to encode; 0 without them.
    private static func endOfAuthority(in bytes: [UInt8]) -> Int {
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            bytes[slash...].dropFirst().first == UInt8(ascii: "/"),
            // After a scheme, or at the start.
            bytes[..<slash].firstIndex(where: { ":?#".utf8.contains($0) }) ?? 0 == max(slash - 1, 0),
            slash == 0 || bytes[slash - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(slash + 2)...].firstIndex(where: ASCII.endsAuthority) ?? bytes.count
    }
}
