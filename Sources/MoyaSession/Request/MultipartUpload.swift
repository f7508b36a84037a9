import Foundation
import MoyaTransport

/// A multipart body that is encoded once for all attempts.
///
/// A form below a threshold is encoded in memory, a longer one in a temporary file, which is removed at the end of the
/// request. A form that contains a stream of unknown length is encoded as it is sent.
final class MultipartUpload: Sendable {
    enum Encoded: Sendable {
        case data(Data)
        case file(URL)
        case stream(BodyReadAhead)
    }

    let contentType: String
    private let form: RequestMultipartFormData
    private let threshold: UInt64
    private let result = Lock<Result<Encoded, SessionError>?>(nil)

    init(form: RequestMultipartFormData, threshold: UInt64) {
        self.form = form
        self.threshold = threshold
        contentType = form.contentType
    }

    deinit { removeFile() }

    /// Removes the temporary file; a transport that still reads it has it open.
    func removeFile() { if case .success(.file(let url)) = result.withLock({ $0 }) { unlink(url.path) } }

    /// Closes a form that was sent in part.
    func close() { if case .success(.stream(let reader)) = result.withLock({ $0 }) { reader.close() } }

    var uploadable: UploadRequest.Uploadable? {
        switch result.withLock({ $0 }) {
        case .success(.data(let data)): .data(data)
        case .success(.file(let url)): .file(url, shouldRemove: true)
        case .success(.stream), .failure, nil: nil
        }
    }

    /// The encoded form.
    ///
    /// The call may block while it reads files.
    func encoded() throws(SessionError) -> Encoded {
        // The lock is not held, because a part may be a stream that runs user code. Only one attempt encodes at a time.
        let result = result.withLock { $0 } ?? encode()
        self.result.withLock { $0 = result }
        let encoded = try result.get()
        if case .stream(let reader) = encoded, !reader.rewind() {
            throw .multipartEncodingFailed(reason: .inputStreamReadFailed(error: MultipartStreamIsSpent()))
        }
        return encoded
    }

    private func encode() -> Result<Encoded, SessionError> {
        do {
            if form.hasUnknownLength { return .success(.stream(BodyReadAhead(try form.makeBodyReader()))) }
            guard form.contentLength >= threshold else { return .success(.data(try form.encode())) }
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("moya-upload-\(UUID().uuidString)")
            try form.writeEncodedData(to: url)
            return .success(.file(url))
        } catch {
            return .failure((error as? SessionError) ?? .createUploadableFailed(error: error))
        }
    }
}
