public import Foundation

/// A part of a multipart form.
///
/// `@unchecked`: a stream is read once, by a single call.
public struct MultipartFormData: Hashable, @unchecked Sendable {
    /// The source of the bytes of a part.
    public enum FormDataProvider: Hashable, @unchecked Sendable {
        /// Bytes in memory.
        case data(Foundation.Data)
        /// A file.
        case file(URL)
        /// A stream and its length in bytes.
        case stream(InputStream, UInt64)
    }

    /// The source of the bytes.
    public let provider: FormDataProvider
    /// The name of the form's field.
    public let name: String
    /// The file name sent to the server.
    public let fileName: String?
    /// The media type sent to the server.
    public let mimeType: String?

    /// Makes a part.
    ///
    /// For a file, the name and type are used only if both are given; otherwise they come from the file.
    public init(provider: FormDataProvider, name: String, fileName: String? = nil, mimeType: String? = nil) {
        self.provider = provider
        self.name = name
        self.fileName = fileName
        self.mimeType = mimeType
    }
}
