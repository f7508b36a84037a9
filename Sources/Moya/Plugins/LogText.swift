import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The text of requests and responses in a log, with secrets masked.
enum LogText {
    /// Formats header fields like a dictionary: `["Accept": "application/json"]`.
    static func fields(_ fields: [String: String], _ mask: SecretMask) -> String {
        guard !fields.isEmpty else { return "[:]" }
        var text = ""
        var separator = "["
        for (name, value) in fields {
            text += separator
            separator = ", "
            quote(name, in: &text)
            text += ": "
            quote(mask.value(value, ofField: name), in: &text)
        }
        text += "]"
        return text
    }

    /// Formats a response like Foundation on Apple platforms, on every platform.
    static func response(_ response: HTTPURLResponse, _ mask: SecretMask) -> String {
        var lines: [String] = []
        for (name, value) in response.allHeaderFields {
            // Formatting a value that is already text costs more than the rest of a line.
            let name = name.base as? String ?? "\(name)"
            let value = value as? String ?? "\(value)"
            var line = "    \""
            line += name
            line += "\" = \""
            line += mask.value(value, ofField: name)
            line += "\";\n"
            lines.append(line)
        }
        lines.sort()
        var text = "<NSHTTPURLResponse> { URL: "
        text += mask.url(response.url?.absoluteString ?? "")
        text += " } { Status Code: "
        text += String(response.statusCode)
        text += ", Headers {\n"
        for line in lines { text += line }
        text += "} }"
        return text
    }

    /// Appends a string in the form of `String.debugDescription`.
    private static func quote(_ string: String, in text: inout String) {
        guard string.utf8.allSatisfy(isPlain) else { return text += string.debugDescription }
        text += "\""
        text += string
        text += "\""
    }

    /// `true` if a byte is ASCII that needs no escape within quotes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
