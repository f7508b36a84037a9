#if canImport(UniformTypeIdentifiers)
import UniformTypeIdentifiers
#endif

/// The media type that a file has by its name.
package enum MIMEType {
    /// The type of an unknown file (RFC 2046 section 4.5.1).
    package static let unknown = "application/octet-stream"

    /// The type of files whose names end in an extension, as the system has it; ``unknown`` where no one knows.
    ///
    /// Elsewhere than on Apple platforms the first call may block on reading files.
    package static func ofFile(withExtension pathExtension: String) -> String {
        let pathExtension = pathExtension.lowercased()
        #if canImport(UniformTypeIdentifiers)
        return UTType(filenameExtension: pathExtension)?.preferredMIMEType ?? builtIn[pathExtension] ?? unknown
        #else
        return ofFile(withExtension: pathExtension, in: .system)
        #endif
    }

    /// The type of files whose names end in an extension in small letters, as a table, or else the built-in list, has it.
    static func ofFile(withExtension pathExtension: String, in table: MIMETypeTable) -> String {
        table[pathExtension] ?? builtIn[pathExtension] ?? unknown
    }
}
