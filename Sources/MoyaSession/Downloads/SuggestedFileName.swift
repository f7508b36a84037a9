package import Foundation
import MoyaTransport

/// The name that a response suggests for the file it is kept in.
///
/// A server is not trusted with it: the name never leads out of a directory, hides itself, or means a device.
package enum SuggestedFileName {
    /// The name of a file without a name.
    package static let unknown = "Unknown"

    /// The most bytes that a name has: what the common file systems take.
    static let mostBytes = 255

    /// The name that `Content-Disposition` gives, else the last component of the URL's path, else ``unknown``.
    ///
    /// - Parameters:
    ///   - contentDisposition: The value of the field (RFC 6266); `filename*` wins over `filename`.
    ///   - mimeType: The type whose extension a name from a URL gets if it has none, where the type is known.
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

    /// Decodes `charset'language'percent-encoded` (RFC 8187 section 3.2); `nil` where it is not well-formed.
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
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    // MARK: Harmless names

    /// The name without what could do harm; `nil` where nothing is left of it.
    static func harmless(_ suggestion: String) -> String? {
        // Only the last component counts (RFC 6266 section 4.3), whichever system the server thinks of.
        let last = suggestion.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
        var scalars = String.UnicodeScalarView()
        for scalar in last ?? Substring.UnicodeScalarView() where !isInvisible(scalar) {
            scalars.append(reserved.contains(scalar) ? "_" : scalar)
        }
        // Scalars, not characters: a dot with an accent hides a file as well.
        let name = String(scalars.drop { $0 == "." || $0.properties.isWhitespace })
        let short = withoutTail(cut(withoutTail(name)))
        guard !short.isEmpty else { return nil }
        return isDevice(short) ? withoutTail(cut("_" + short)) : short
    }

    /// The characters with a special meaning in the names of some system, or to a shell that quotes names badly.
    private static let reserved: Set<Unicode.Scalar> = ["<", ">", ":", "\"", "|", "?", "*"]

    /// `true` if a scalar cannot be seen, or reorders what is seen so that a name shows another extension than it has.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // The two joiners are part of writing, and of emoji.
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    /// Windows drops dots and spaces at the end, so that two names would become one.
    private static func withoutTail(_ name: String) -> String {
        var name = name[...]
        while let last = name.last, last == "." || last.isWhitespace { name.removeLast() }
        return String(name)
    }

    /// At most ``mostBytes`` bytes of the name, and its extension whole where that is not too long itself.
    private static func cut(_ name: String) -> String {
        guard name.utf8.count > mostBytes else { return name }
        let ending = fileExtension(of: name)
        let kept = ending.utf8.count <= 32 && !ending.isEmpty ? ".\(ending)" : ""
        var stem = name.dropLast(kept.count)
        var count = stem.utf8.count
        while count + kept.utf8.count > mostBytes, let last = stem.popLast() { count -= last.utf8.count }
        return stem + kept
    }

    /// The part after the last dot, unless the name begins with it.
    private static func fileExtension(of name: String) -> Substring {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[dot...].dropFirst()
    }

    /// `true` if Windows would open a device, whatever the extension.
    private static func isDevice(_ name: String) -> Bool {
        // Scalars again: to Windows a dot with an accent is a dot.
        var stem = String(name.unicodeScalars.prefix { $0 != "." }).uppercased()
        while stem.last == " " { stem.removeLast() }
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        guard stem.count == 4, stem.hasPrefix("COM") || stem.hasPrefix("LPT") else { return false }
        return stem.last.map { "0123456789¹²³".contains($0) } ?? false
    }

    // MARK: Extensions

    /// The extension that files of a type usually have; text and bytes of any kind have none.
    private static func commonExtension(_ mimeType: String) -> String? {
        let type = mimeType.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        return switch type {
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
