import Foundation
import MoyaTransport

/// The source of the bytes of one part.
enum MultipartSource: Sendable {
    /// Bytes in memory.
    case data(Data)
    /// A file, opened for reading.
    case file(URL)
    /// A user's stream.
    case stream(Stream)

    /// A stream, transferred from the appending code to the encoder of the form.
    ///
    /// `@unchecked`: the stream is transferred when it is appended, and read by the only call that removes the parts.
    struct Stream: @unchecked Sendable {
        let stream: InputStream
    }

    /// The current length of a file, following links.
    ///
    /// - Throws: The reason that it cannot be a part.
    static func length(ofFileAt url: URL) throws(SessionError) -> UInt64 {
        guard url.isFileURL else { throw .multipartEncodingFailed(reason: .bodyPartURLInvalid(url: url)) }
        do throws(RegularFile.Refusal) {
            return UInt64(try RegularFile(at: url.path).length)
        } catch {
            let reason: SessionError.MultipartEncodingFailureReason =
                switch error {
                case _ where error.errorNumber == EISDIR: .bodyPartFileIsDirectory(at: url)
                // A pipe or a device has no size, and may be endless.
                case .notRegular: .bodyPartFileSizeNotAvailable(at: url)
                default: .bodyPartFileNotReachableWithError(atURL: url, error: SystemError.posix(error.errorNumber))
                }
            throw .multipartEncodingFailed(reason: reason)
        }
    }
}

/// A piece of an encoded form: the header section or the content of a part, or the end of the form.
struct MultipartPiece: Sendable {
    let source: MultipartSource
    /// The expected number of bytes; `nil` for all available bytes.
    let length: UInt64?

    init(_ source: MultipartSource, length: UInt64?) {
        self.source = source
        self.length = length
    }

    init(_ text: String) { self.init(Data(text.utf8)) }

    init(_ data: Data) { self.init(.data(data), length: UInt64(data.count)) }
}
