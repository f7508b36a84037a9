#if canImport(UniformTypeIdentifiers)
import UniformTypeIdentifiers
#else
import Foundation
#endif

/// The media type that a file has by its name.
package enum MIMEType {
    /// What is said of a file of which nothing is known (RFC 2046 section 4.5.1).
    package static let unknown = "application/octet-stream"

    /// The type of files whose names end in an extension; ``unknown`` where no one knows.
    package static func ofFile(withExtension pathExtension: String) -> String {
        let pathExtension = pathExtension.lowercased()
        #if canImport(UniformTypeIdentifiers)
        return UTType(filenameExtension: pathExtension)?.preferredMIMEType ?? common[pathExtension] ?? unknown
        #else
        // The common ones first: they are the same on every machine, and need no file to be read.
        return common[pathExtension] ?? ofSystem[pathExtension] ?? unknown
        #endif
    }

    static let common: [String: String] = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "avi": "video/x-msvideo", "avif": "image/avif",
        "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
        "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html",
        "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript", "json": "application/json", "jsonld": "application/ld+json", "m4a": "audio/mp4",
        "m4v": "video/x-m4v", "md": "text/markdown", "mjs": "text/javascript", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg",
        "odt": "application/vnd.oasis.opendocument.text", "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg",
        "opus": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf", "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
        "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain", "vcf": "text/vcard", "wasm": "application/wasm",
        "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
        "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
    ]

    /// Reads `type extension extension` lines, as in `/etc/mime.types`.
    static func parse(mimeTypes text: String) -> [String: String] {
        var types: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            guard let type = words.first, type.utf8.contains(UInt8(ascii: "/")) else { continue }
            for word in words.dropFirst() { keep(type, for: word.lowercased(), in: &types) }
        }
        return types
    }

    /// Reads `weight:type:*.extension` lines, the heaviest first, as in the shared MIME database's `globs2`.
    static func parse(globs text: String) -> [String: String] {
        var types: [String: String] = [:]
        for line in text.split(separator: "\n") where line.first != "#" {
            let fields = line.split(separator: ":", maxSplits: 3)
            guard fields.count >= 3, fields[2].hasPrefix("*.") else { continue }
            let pathExtension = String(fields[2].dropFirst(2))
            // An extension in capitals is one that means something else than the same in small letters.
            if pathExtension != pathExtension.lowercased() || pathExtension.contains(where: { "*?[.".contains($0) }) {
                continue
            }
            keep(fields[1], for: pathExtension, in: &types)
        }
        return types
    }

    private static func keep(_ type: Substring, for pathExtension: String, in types: inout [String: String]) {
        if types[pathExtension] == nil { types[pathExtension] = String(type) }
    }

    #if !canImport(UniformTypeIdentifiers)
    /// What the system knows, read once, when a file of a less common kind is sent.
    private static let ofSystem: [String: String] = {
        if let text = try? String(contentsOfFile: "/etc/mime.types", encoding: .utf8) { return parse(mimeTypes: text) }
        if let text = try? String(contentsOfFile: "/usr/share/mime/globs2", encoding: .utf8) {
            return parse(globs: text)
        }
        return [:]
    }()
    #endif
}
