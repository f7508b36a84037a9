import Foundation
import MoyaTransport

/// A multipart body, encoded once however many attempts send it.
///
/// Below a threshold it is in memory, else in a temporary file that goes when the upload does. A form with a stream of
/// unknown length is encoded as it is sent.
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

    deinit {
        if case .success(.file(let url)) = result.withLock({ $0 }) { unlink(url.path) }
    }

    var uploadable: UploadRequest.Uploadable? {
        switch result.withLock({ $0 }) {
        case .success(.data(let data)): .data(data)
        case .success(.file(let url)): .file(url, shouldRemove: true)
        case .success(.stream), .failure, nil: nil
        }
    }

    /// The encoded form.
    ///
    /// May block on reading files.
    func encoded() throws(SessionError) -> Encoded {
        // Not under the lock: a part may be a stream of the caller's, whose code runs then. One attempt encodes at a time.
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
