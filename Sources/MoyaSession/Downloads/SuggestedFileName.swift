import Foundation
import MoyaTransport

/// The file name that a response suggests.
///
/// The server is not trusted: the name never leads out of a directory, is hidden, or denotes a device.
package enum SuggestedFileName {
    /// The default name.
    package static let unknown = "Unknown"

    /// The maximum number of bytes in a name on common file systems.
    static let mostBytes = 255

    /// The name from `Content-Disposition`, otherwise the last component of the URL's path, otherwise ``unknown``.
    ///
    /// - Parameters:
    ///   - contentDisposition: The value of the field (RFC 6266); `filename*` takes precedence over `filename`.
    ///   - mimeType: The type that determines the extension of a name from a URL without one, if known.
    package static func name(contentDisposition: String?, url: URL, mimeType: String?) -> String {
        if let contentDisposition {
            let parameters = HeaderParameters.parse(contentDisposition)
            for candidate in [parameters["filename*"].flatMap(extendedValue), parameters["filename"]] {
                if let name = candidate.flatMap(harmless) { return name }
            }
        }
        let path = url.path(percentEncoded: true)
        let component = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        guard let name = harmless(component.removingPercentEncoding ?? component) else { return unknown }
        guard fileExtension(of: name).isEmpty, let added = mimeType.flatMap(commonExtension) else { return name }
        return harmless("\(name).\(added)") ?? name
    }

    // MARK: Extended values

    /// Decodes `charset'language'percent-encoded` (RFC 8187 section 3.2); `nil` if it is malformed.
    static func extendedValue(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = percentDecoded(parts[2]) else { return nil }
        if ASCII.equalIgnoringCase(parts[0], "utf-8") { return String(validUTF8: bytes) }
        if ASCII.equalIgnoringCase(parts[0], "iso-8859-1") {
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        return nil
    }

    private static func percentDecoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = ASCII.byte(ofHexDigits: rest) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    // MARK: Harmless names

    /// The name without harmful parts; `nil` if nothing remains.
    static func harmless(_ suggestion: String) -> String? {
        // Only the last component counts (RFC 6266 section 4.3), with the separators of any system.
        let last = suggestion.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
        var scalars = String.UnicodeScalarView()
        for scalar in last ?? Substring.UnicodeScalarView() where !isInvisible(scalar) {
            scalars.append(reserved.contains(scalar) ? "_" : scalar)
        }
        // Scalars instead of characters: a dot with an accent also hides a file.
        let name = String(scalars.drop { $0 == "." || $0.properties.isWhitespace })
        let short = withoutTail(cut(withoutTail(name)))
        guard !short.isEmpty else { return nil }
        return isDevice(short) ? withoutTail(cut("_" + short)) : short
    }

    /// Characters with a special meaning in file names of some system, or in a shell.
    private static let reserved: Set<Unicode.Scalar> = ["<", ">", ":", "\"", "|", "?", "*"]

    /// `true` if a scalar is invisible, or reorders text so that a name shows a false extension.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // The two joiners are part of writing, and of emoji.
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    /// Removes dots and spaces at the end, which Windows drops, so that two names could coincide.
    private static func withoutTail(_ name: String) -> String {
        var name = name[...]
        while let last = name.last, last == "." || last.isWhitespace { name.removeLast() }
        return String(name)
    }

    /// Cuts the name to ``mostBytes`` bytes, keeping its extension unless that is too long itself.
    private static func cut(_ name: String) -> String {
        guard name.utf8.count > mostBytes else { return name }
        let ending = fileExtension(of: name)
        let kept = ending.utf8.count <= 32 && !ending.isEmpty ? ".\(ending)" : ""
        var stem = name.dropLast(kept.count)
        var count = stem.utf8.count
        while count + kept.utf8.count > mostBytes, let last = stem.popLast() { count -= last.utf8.count }
        // A single character can be longer than a name; without a stem, the extension's dot would hide the file.
        return (stem.isEmpty ? beginning(of: name, maximumBytes: mostBytes - kept.utf8.count) : String(stem)) + kept
    }

    /// The longest beginning of whole scalars.
    private static func beginning(of text: String, maximumBytes: Int) -> String {
        var count = 0
        return String(
            text.unicodeScalars.prefix {
                count += $0.utf8.count
                return count <= maximumBytes
            })
    }

    /// The part after the last dot, unless the name begins with the dot.
    private static func fileExtension(of name: String) -> Substring {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[dot...].dropFirst()
    }

    /// `true` if Windows would open a device, with any extension.
    private static func isDevice(_ name: String) -> Bool {
        // Scalars again: to Windows a dot with an accent is a dot.
        var stem = String(name.unicodeScalars.prefix { $0 != "." }).uppercased()
        while stem.last == " " { stem.removeLast() }
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        guard stem.count == 4, stem.hasPrefix("COM") || stem.hasPrefix("LPT") else { return false }
        return stem.last.map { "0123456789¹²³".contains($0) } ?? false
    }

    // MARK: Extensions

    /// The usual extension of a type; none for plain text and arbitrary bytes.
    private static func commonExtension(_ mimeType: String) -> String? {
        switch MIMETypePattern.essence(of: mimeType) {
        case "application/json": "json"
        case "application/pdf": "pdf"
        case "application/zip": "zip"
        case "application/gzip": "gz"
        case "application/xml", "text/xml": "xml"
        case "text/html": "html"
        case "text/css": "css"
        case "text/csv": "csv"
        case "text/javascript", "application/javascript": "js"
        case "image/png": "png"
        case "image/jpeg": "jpeg"
        case "image/gif": "gif"
        case "image/webp": "webp"
        case "image/svg+xml": "svg"
        case "audio/mpeg": "mp3"
        case "audio/mp4": "m4a"
        case "video/mp4": "mp4"
        default: nil
        }
    }
}
