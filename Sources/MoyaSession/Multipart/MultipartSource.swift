import Foundation
import MoyaTransport

/// The source of the bytes of one part.
enum MultipartSource: Sendable {
    /// Memory.
    case data(Data)
    /// A file, opened when it is read.
    case file(URL)
    /// A user's stream.
    case stream(Stream)

    /// A stream on its way from the appending code to the encoder of the form.
    ///
    /// `@unchecked`: the stream is handed over when it is appended, and read by the one call that takes the parts out.
    struct Stream: @unchecked Sendable {
        let stream: InputStream
    }

    /// The present length of a file, links followed.
    ///
    /// - Throws: The reason that it can be no part.
    static func length(ofFileAt url: URL) throws(SessionError) -> UInt64 {
        guard url.isFileURL else { throw .multipartEncodingFailed(reason: .bodyPartURLInvalid(url: url)) }
        do throws(RegularFile.Refusal) {
            return UInt64(try RegularFile(at: url.path).length)
        } catch {
            let reason: SessionError.MultipartEncodingFailureReason =
                switch error {
                case _ where error.errorNumber == EISDIR: .bodyPartFileIsDirectory(at: url)
                // A pipe or a device has no size, and may never end.
                case .notRegular: .bodyPartFileSizeNotAvailable(at: url)
                default: .bodyPartFileNotReachableWithError(atURL: url, error: SystemError.posix(error.errorNumber))
                }
            throw .multipartEncodingFailed(reason: reason)
        }
    }
}

/// A stretch of an encoded form: the header section or the content of a part, or what closes the form.
struct MultipartPiece: Sendable {
    let source: MultipartSource
    /// The expected number of bytes; `nil` for as many as there are.
    let length: UInt64?

    init(_ source: MultipartSource, length: UInt64?) {
        self.source = source
        self.length = length
    }

    init(_ text: String) { self.init(Data(text.utf8)) }

    init(_ data: Data) { self.init(.data(data), length: UInt64(data.count)) }
}
