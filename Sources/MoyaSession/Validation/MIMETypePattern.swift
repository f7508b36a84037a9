import MoyaTransport

/// A media type, or a range of them (RFC 9110 sections 8.3.1 and 12.5.1): `a/b`, `a/*`, `*/b` or `*/*`.
///
/// It refers to the text that it was parsed from, so parsing and comparing allocate nothing.
package struct MIMETypePattern: Sendable {
    /// The part before the slash, `*` for any.
    package let type: Substring
    /// The part after the slash, `*` for any.
    package let subtype: Substring

    /// Parses a type, ignoring parameters and surrounding white space.
    ///
    /// `nil` unless there is exactly one slash between two tokens.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard let start = bytes.firstIndex(where: { !ASCII.isBlank($0) }) else { return nil }
        var slash: Substring.Index?
        var end = start
        while end < bytes.endIndex, bytes[end] != UInt8(ascii: ";") {
            if bytes[end] == UInt8(ascii: "/") {
                guard slash == nil, end != start else { return nil }
                slash = end
            } else if ASCII.isBlank(bytes[end]) {
                break
            } else if !ASCII.isTokenByte(bytes[end]) {
                return nil
            }
            bytes.formIndex(after: &end)
        }
        guard let slash else { return nil }
        let afterSlash = bytes.index(after: slash)
        let rest = bytes[end...].first { !ASCII.isBlank($0) }
        guard afterSlash != end, rest == nil || rest == UInt8(ascii: ";") else { return nil }
        type = text[start..<slash]
        subtype = text[afterSlash..<end]
    }

    /// `true` if the range contains every type.
    package var isAny: Bool { type == "*" && subtype == "*" }

    /// `true` if the range contains a type, ignoring case.
    package func matches(_ other: MIMETypePattern) -> Bool {
        (type == "*" || ASCII.equalIgnoringCase(type, other.type))
            && (subtype == "*" || ASCII.equalIgnoringCase(subtype, other.subtype))
    }

    /// The type and the subtype of a `Content-Type` in lower case, without parameters and surrounding white space.
    package static func essence(of contentType: String) -> String {
        ASCII.trimmed(contentType.prefix { $0 != ";" }).lowercased()
    }
}

extension MIMETypePattern: CustomStringConvertible {
    /// The type without its parameters.
    package var description: String { "\(type)/\(subtype)" }
}

extension MIMETypePattern {
    /// `true` if one of the ranges contains the value of a `Content-Type`; a malformed range contains nothing.
    ///
    /// Only `*/*` contains a malformed or empty content type. Weights are ignored: a server that sends a type with weight
    /// zero has nothing better.
    package static func isAcceptable(contentType: String, by ranges: [String]) -> Bool {
        let contentType = MIMETypePattern(contentType)
        return ranges.contains { range in
            guard let range = MIMETypePattern(range) else { return false }
            return contentType.map(range.matches) ?? range.isAny
        }
    }

    /// The ranges of an `Accept` with their parameters, such as `text/html;q=0.8`; `*/*` if there are none.
    package static func ranges(inAccept accept: String) -> [String] {
        var ranges: [String] = []
        var rest = accept[...]
        while let range = nextRange(in: &rest) { ranges.append(String(range)) }
        return ranges.isEmpty ? ["*/*"] : ranges
    }

    /// Removes the next non-empty element from a list (RFC 9110 section 5.6.1), without surrounding white space.
    ///
    /// A comma inside quotes is not a separator.
    private static func nextRange(in rest: inout Substring) -> Substring? {
        while !rest.isEmpty {
            let bytes = rest.utf8
            var index = bytes.startIndex
            var isQuoted = false
            while index < bytes.endIndex, isQuoted || bytes[index] != UInt8(ascii: ",") {
                if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
                if isQuoted, bytes[index] == UInt8(ascii: "\\") { bytes.formIndex(after: &index) }
                if index < bytes.endIndex { bytes.formIndex(after: &index) }
            }
            let element = rest[..<index]
            rest = index < bytes.endIndex ? rest[bytes.index(after: index)...] : rest[index...]
            guard let start = element.utf8.firstIndex(where: { !ASCII.isBlank($0) }),
                let last = element.utf8.lastIndex(where: { !ASCII.isBlank($0) })
            else { continue }
            return Substring(element.utf8[start...last])
        }
        return nil
    }
}
