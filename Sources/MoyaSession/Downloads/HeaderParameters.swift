import MoyaTransport

/// The parameters of a header field value: `type; name=token; name="quoted string"` (RFC 9110 section 5.6.6).
enum HeaderParameters {
    /// The parameters by name in lower case; the first of those with the same name counts.
    ///
    /// A malformed value is parsed as far as possible: servers send spaces and slashes without quotes.
    static func parse(_ value: String) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = value.unicodeScalars[...]
        skip(to: ";", in: &rest)
        while rest.popFirst() != nil {
            let name = ASCII.trimmed(Substring(take(until: ["=", ";"], from: &rest))).lowercased()
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
            let text: String
            if rest.first == "\"" {
                rest.removeFirst()
                text = quotedString(&rest)
                skip(to: ";", in: &rest)
            } else {
                text = ASCII.trimmed(Substring(take(until: [";"], from: &rest)))
            }
            if !name.isEmpty, parameters[name] == nil { parameters[name] = text }
        }
        return parameters
    }

    /// Moves `rest` to the next such scalar outside of quotes, or to the end.
    private static func skip(to end: Unicode.Scalar, in rest: inout Substring.UnicodeScalarView) {
        while let first = rest.first, first != end {
            rest.removeFirst()
            if first == "\"" { _ = quotedString(&rest) }
        }
    }

    private static func take(
        until ends: [Unicode.Scalar], from rest: inout Substring.UnicodeScalarView
    ) -> Substring.UnicodeScalarView {
        let taken = rest.prefix { !ends.contains($0) }
        rest = rest[taken.endIndex...]
        return taken
    }

    /// Reads to the closing quote, which may be missing; a backslash escapes the next scalar.
    private static func quotedString(_ rest: inout Substring.UnicodeScalarView) -> String {
        var text = String.UnicodeScalarView()
        while let next = rest.popFirst(), next != "\"" {
            if next == "\\", let literal = rest.popFirst() {
                text.append(literal)
            } else {
                text.append(next)
            }
        }
        return String(text)
    }
}
