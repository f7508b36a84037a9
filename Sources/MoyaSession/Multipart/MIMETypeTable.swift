import Foundation
import MoyaTransport

/// Media types by file extension, from the system's tables.
///
/// Tables may have been edited: malformed lines are ignored, as is everything beyond the size limit.
struct MIMETypeTable: Sendable {
    /// The tables of this system, read on first use.
    static let system = MIMETypeTable(mimeTypes: "/etc/mime.types", globs: "/usr/share/mime/globs2")

    private var types: [String: String] = [:]

    /// Reads the two kinds of tables; a missing or irregular file counts as empty.
    ///
    /// - Parameters:
    ///   - mimeTypes: The files with `type extension extension` lines, which contain the registered types and take
    ///     precedence.
    ///   - globs: The files with `weight:type:*.extension` lines, in descending order of weight: `globs2` of the shared
    ///     MIME database.
    ///   - limit: The maximum number of bytes read of each; they have less than 100 KB.
    init(mimeTypes: String, globs: String, limit: Int = 1 << 20) {
        for line in Self.lines(ofFileAt: mimeTypes, limit: limit) { keep(mimeTypesLine: line) }
        for line in Self.lines(ofFileAt: globs, limit: limit) { keep(globsLine: line) }
    }

    /// The type for a lower-case extension.
    subscript(pathExtension: String) -> String? { types[pathExtension] }

    private mutating func keep(mimeTypesLine line: ArraySlice<UInt8>) {
        let words = line.prefix { $0 != UInt8(ascii: "#") }.split(whereSeparator: ASCII.isSpace)
        guard let type = words.first.flatMap(Self.type) else { return }
        for word in words.dropFirst() { keep(type, for: String(decoding: word, as: UTF8.self).lowercased()) }
    }

    private mutating func keep(globsLine line: ArraySlice<UInt8>) {
        // A field with flags may follow.
        let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard line.first != UInt8(ascii: "#"), fields.count >= 3, fields[2].starts(with: "*.".utf8),
            let type = Self.type(fields[1])
        else { return }
        let pathExtension = String(decoding: fields[2].dropFirst(2), as: UTF8.self)
        // An upper-case extension has another meaning than the same in lower case.
        if pathExtension == pathExtension.lowercased() { keep(type, for: pathExtension) }
    }

    private mutating func keep(_ type: String, for pathExtension: String) {
        // An extension with a dot or a pattern is never looked up.
        if types[pathExtension] == nil, !pathExtension.isEmpty,
            !pathExtension.utf8.contains(where: { ".*?[\r".utf8.contains($0) })
        {
            types[pathExtension] = type
        }
    }

    private static func type(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return MIMETypePattern(text)?.description == text ? text : nil
    }

    private static func lines(ofFileAt path: String, limit: Int) -> [ArraySlice<UInt8>] {
        guard let file = try? RegularFile(at: path) else { return [] }
        let (descriptor, length) = (file.descriptor, Int(clamping: file.length))
        let bytes = [UInt8](unsafeUninitializedCapacity: min(length, limit)) { buffer, count in
            while count < buffer.count {
                let read = retryingOnInterrupt {
                    readDescriptor(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                }
                guard read > 0 else { break }
                count += read
            }
        }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The limit may have cut the last line.
        if bytes.count < length { lines.removeLast() }
        return lines
    }
}
