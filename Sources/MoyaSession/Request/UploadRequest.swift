public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request with a body from memory, a file, a stream or a sequence; its response is collected in memory.
public final class UploadRequest: DataRequest, @unchecked Sendable {
    /// The source of the body.
    public enum Uploadable {
        /// Bytes in memory.
        case data(Data)
        /// A file, which is removed with the request if `shouldRemove` is `true`.
        case file(URL, shouldRemove: Bool)
        /// A stream, which is read once, as it is sent.
        case stream(InputStream)
    }

    /// The source from which the first attempt makes the body.
    enum Source: Sendable {
        case data(Data)
        case file(URL)
        case stream(Stream)
        case sequence(StreamedUpload)
        case multipart(MultipartUpload)
    }

    /// A stream and its reader.
    ///
    /// `@unchecked`: only the reader reads the stream; other code only compares it.
    struct Stream: @unchecked Sendable {
        let stream: InputStream
        let reader: BodyReadAhead

        init(_ stream: InputStream) {
            self.stream = stream
            reader = BodyReadAhead(InputStreamBody(stream))
        }

        /// Checks that neither this reader nor another one has read the stream: its unread rest is not the body.
        func checkUnread() throws(SessionError) {
            let wasRead =
                switch stream.streamStatus {
                case .atEnd, .closed, .error: true
                default: !reader.rewind()
                }
            if wasRead { throw .createUploadableFailed(error: InputStreamFailure.wasRead) }
        }
    }

    private let content: Source

    init(
        core: SessionCore, convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?,
        source: Source
    ) {
        content = source
        super.init(core: core, convertible: convertible, interceptor: interceptor)
    }

    /// The body once it was made; `nil` for a sequence, and for a form that is encoded as it is sent.
    public var uploadable: Uploadable? {
        switch content {
        case .data(let data): .data(data)
        case .file(let url): .file(url, shouldRemove: false)
        case .stream(let stream): .stream(stream.stream)
        case .sequence: nil
        case .multipart(let upload): upload.uploadable
        }
    }

    override var isUpload: Bool { true }

    override func removeTemporaryFiles() { if case .multipart(let upload) = content { upload.removeFile() } }

    override var preparesBodyOnQueue: Bool { if case .multipart = content { true } else { false } }

    override func complete(_ urlRequest: inout URLRequest) {
        switch content {
        case .multipart(let upload): urlRequest.setValue(upload.contentType, forHTTPHeaderField: "Content-Type")
        case .sequence(let upload): upload.stream.complete(&urlRequest)
        case .data, .file, .stream: break
        }
    }

    override func makeBody(for request: HTTPRequest) throws(SessionError) -> TransportBody? {
        switch content {
        case .data(let data): return .data(data)
        case .stream(let stream):
            try stream.checkUnread()
            return .stream(stream.reader, length: request.statedLength)
        case .sequence(let upload): return try upload.body(statedLength: request.statedLength)
        case .file(let url): return .file(url, length: try UploadFile.length(of: url))
        case .multipart(let upload):
            switch try upload.encoded() {
            case .data(let data): return .data(data)
            case .file(let url): return .file(url, length: try UploadFile.length(of: url))
            case .stream(let reader): return .stream(reader, length: nil)
            }
        }
    }

    override func releaseBody() {
        switch content {
        case .sequence(let upload): upload.close()
        case .stream(let stream): stream.reader.close()
        case .multipart(let upload): upload.close()
        case .data, .file: break
        }
    }

    override func refusal(toFollow url: URL) -> SessionError? {
        switch content {
        case .sequence: .createUploadableFailed(error: UploadStreamError.redirected(to: url.absoluteString))
        case .multipart: .multipartEncodingFailed(reason: .inputStreamReadFailed(error: MultipartStreamIsSpent()))
        case .data, .file, .stream: nil
        }
    }
}

/// Checks a file before it is sent.
enum UploadFile {
    /// The length in bytes of a readable regular file.
    static func length(of url: URL) throws(SessionError) -> Int64 {
        let refusal = SessionError.urlRequestValidationFailed(reason: .uploadFileNotReadable(url: url))
        guard url.isFileURL, let file = try? RegularFile(at: url.path) else { throw refusal }
        return file.length
    }
}
