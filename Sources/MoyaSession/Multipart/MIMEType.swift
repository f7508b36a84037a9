#if canImport(UniformTypeIdentifiers)
import UniformTypeIdentifiers
#endif

/// The media type of a file, by its name.
package enum MIMEType {
    /// The type of an unknown file (RFC 2046 section 4.5.1).
    package static let unknown = "application/octet-stream"

    /// The type of files with an extension, by the system's tables; ``unknown`` if there is none.
    ///
    /// On other than Apple platforms the first call may block to read files.
    package static func ofFile(withExtension pathExtension: String) -> String {
        let pathExtension = pathExtension.lowercased()
        #if canImport(UniformTypeIdentifiers)
        return UTType(filenameExtension: pathExtension)?.preferredMIMEType ?? builtIn[pathExtension] ?? unknown
        #else
        return ofFile(withExtension: pathExtension, in: .system)
        #endif
    }

    /// The type of files with a lower-case extension, by a table, otherwise by the built-in list.
    static func ofFile(withExtension pathExtension: String, in table: MIMETypeTable) -> String {
        table[pathExtension] ?? builtIn[pathExtension] ?? unknown
    }
}
