package import Foundation
import MoyaTransport

/// The rules of a file in the format of the Public Suffix List (publicsuffix.org/list).
package struct PublicSuffixRules: Sendable {
    private var suffixes: Set<String> = []
    /// The names after `*.`: every domain directly below is a suffix.
    private var parents: Set<String> = []
    /// The names after `!`: not a suffix, although directly below such a parent.
    private var exceptions: Set<String> = []

    /// Parses a list; invalid rules are ignored.
    package init(list: Data) {
        suffixes.reserveCapacity(list.count / 24)
        list.withUnsafeBytes { bytes in
            for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
                // A rule ends at the first space.
                let rule = line.prefix { $0 > 0x20 }
                guard let first = rule.first, first != UInt8(ascii: "/") else { continue }
                switch first {
                case UInt8(ascii: "!"): Self.insert(rule.dropFirst(), into: &exceptions)
                case UInt8(ascii: "*"): Self.insert(rule.dropFirst(2), into: &parents)
                default: Self.insert(rule, into: &suffixes)
                }
            }
        }
    }

    private static func insert(_ rule: Slice<UnsafeRawBufferPointer>, into rules: inout Set<String>) {
        if !rule.isEmpty, let text = String(validUTF8: rule) { rules.insert(text) }
    }

    package var isEmpty: Bool { suffixes.isEmpty && parents.isEmpty }

    /// `true` if a domain of two labels or more is a suffix.
    ///
    /// A parent of suffixes counts as a suffix: it has no site, and a cookie for it would span them all.
    func isPublicSuffix(_ domain: String) -> Bool {
        // The list has internationalized names in Unicode, a host has them in ASCII.
        let domain = Punycode.unicode(of: domain)
        if exceptions.contains(domain) { return false }
        let parent = String(domain.drop { $0 != "." }.dropFirst())
        return suffixes.contains(domain) || parents.contains(domain) || parents.contains(parent)
    }
}
