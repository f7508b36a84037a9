import Foundation

/// Where the bytes of one part come from.
enum MultipartSource: Sendable {
    /// Memory.
    case data(Data)
    /// A file, opened when it is read.
    case file(URL)
    /// A stream of the user's.
    case stream(Stream)

    /// A stream on its way from whoever appended it to whoever encodes the form.
    ///
    /// `@unchecked`: the stream is handed over when it is appended, and read by the one call that takes the parts out.
    struct Stream: @unchecked Sendable {
        let stream: InputStream
    }

    /// How long a file is now, links followed.
    ///
    /// - Throws: Why it can be no part.
    static func length(ofFileAt url: URL) throws(SessionError) -> UInt64 {
        guard url.isFileURL else { throw .multipartEncodingFailed(reason: .bodyPartURLInvalid(url: url)) }
        var status = stat()
        if stat(url.path, &status) != 0 {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            throw .multipartEncodingFailed(
                reason: code == .ENOENT
                    ? .bodyPartFileNotReachable(at: url)
                    : .bodyPartFileNotReachableWithError(atURL: url, error: POSIXError(code)))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return UInt64(max(status.st_size, 0))
        case S_IFDIR: throw .multipartEncodingFailed(reason: .bodyPartFileIsDirectory(at: url))
        // A pipe or a device has no size, and may never end.
        default: throw .multipartEncodingFailed(reason: .bodyPartFileSizeNotAvailable(at: url))
        }
    }
}

/// A stretch of an encoded form: the header section or the content of a part, or what closes the form.
struct MultipartPiece: Sendable {
    let source: MultipartSource
    /// How many bytes there should be; `nil` for as many as there are.
    let length: UInt64?

    init(_ source: MultipartSource, length: UInt64?) {
        self.source = source
        self.length = length
    }

    init(_ text: String) { self.init(Data(text.utf8)) }

    init(_ data: Data) { self.init(.data(data), length: UInt64(data.count)) }
}
