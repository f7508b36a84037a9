import Foundation
import MoyaTransport

/// Writes the body of a response to a temporary file, and moves the file to its destination.
final class FileBody: ResponseBody {
    private let download: DownloadRequest
    private var file: TemporaryFile?
    /// The position of the last byte of the file, if a response continues a first part.
    private var lastByte: Int64?

    init(_ download: DownloadRequest) {
        self.download = download
    }

    func receive(_ head: TransportResponseHead) throws(SessionError) -> Int64 {
        // Only a request with a range is answered with a part (RFC 9110 section 15.3.7).
        guard head.status != 206 || download.asksForPart else { throw Self.wrongRange(head) }
        // A 202, 204 or 205 has no representation of the resource.
        guard let resumed = download.resumed, [200, 203, 206].contains(head.status) else {
            file = try TemporaryFile.make()
            return 0
        }
        guard download.takeFirstPart() else { throw .explicitlyCancelled }
        guard download.asksForRest, head.status == 206 else {
            // The first part of a changed resource is useless.
            resumed.removeFile()
            file = try TemporaryFile.make()
            return 0
        }
        lastByte = resumed.lastByte(continuedBy: head)
        guard lastByte != nil else {
            // The first part of a changed resource is useless.
            if resumed.isOfSame(head) { download.leaveFirstPart() } else { resumed.removeFile() }
            throw Self.wrongRange(head)
        }
        do throws(SessionError) {
            file = try TemporaryFile.reopen(resumed.file, length: resumed.length)
        } catch {
            download.leaveFirstPart()
            throw error
        }
        return resumed.length
    }

    private static func wrongRange(_ head: TransportResponseHead) -> SessionError {
        .sessionTaskFailed(error: ResumeDataError.wrongRange(head.value(for: "content-range") ?? ""))
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard let file else { return }
        if let lastByte, Int64(bytes.count) - 1 > lastByte - file.length {
            // The bytes that were written so far may be wrong too; resuming again removes them.
            self.file = nil
            download.leaveFirstPart()
            throw SessionError(
                transportFailure: TransportFailure(
                    .protocolViolation, message: "The rest of the resource is longer than its Content-Range says."),
                url: nil)
        }
        try file.write(bytes)
    }

    var isMoved: Bool { true }

    func move(
        head: TransportResponseHead, url: URL, in attempt: Attempt,
        completion: @escaping @Sendable (SessionError?) -> Void
    ) {
        guard let file else { return completion(nil) }
        if let lastByte, file.length - 1 != lastByte {
            discard()
            return completion(
                SessionError(
                    transportFailure: TransportFailure(
                        .truncated, message: "The rest of the resource is shorter than its Content-Range says."),
                    url: url))
        }
        self.file = nil
        do throws(SessionError) {
            try file.verify()
        } catch {
            return completion(error)
        }
        download.forgetPart()
        guard download.beginDelivery() else {
            download.leaveFirstPart()
            return completion(nil)
        }
        let delivery = FileDelivery(file: file, download: download, completion: completion)
        guard let destination = download.destination, let response = DownloadURLResponse(head: head, url: url) else {
            // Resume data that is used again would cut it.
            if lastByte != nil { file.rename() }
            return delivery.finish(at: file.url, PlacedFile(at: file.url.path, movedFrom: file.url.path))
        }
        let (target, options) = destination(file.url, response)
        // The destination closure may have cancelled the request.
        guard !download.isEnding else { return delivery.abandon(nil) }
        attempt.report(.didCreateDestinationURL(target))
        delivery.move(to: target, options, in: attempt)
    }

    func discard() {
        guard let file else { return }
        self.file = nil
        file.close()
        download.keepPart(of: file)
    }
}

/// The delivery of a complete file to its destination; the file stays open, since another request could continue it
/// before it is moved.
private struct FileDelivery: Sendable {
    let file: TemporaryFile
    let download: DownloadRequest
    let completion: @Sendable (SessionError?) -> Void

    func move(to target: URL, _ options: DownloadOptions, in attempt: Attempt) {
        // A move to another file system copies the file, and other requests of the session would wait for it.
        attempt.runBlocking {
            Result { try FileReplacement.move(file.url, to: target, options) }
        } then: { result in
            switch result {
            case .success(let placed): finish(at: target, placed)
            case .failure(let error):
                let error = SessionError.downloadedFileMoveFailed(error: error, source: file.url, destination: target)
                download.reportTask { .didFinishDownloading($0, .failure(error)) }
                abandon(error)
            }
        }
    }

    func finish(at url: URL, _ placed: PlacedFile?) {
        file.keep()
        download.placedFile.put(placed)
        download.mutableState.withLock { $0.fileURL = url }
        download.reportTask { .didFinishDownloading($0, .success(url)) }
        end(nil)
    }

    /// Ends without a file; a first part that was not moved can be continued again.
    func abandon(_ error: SessionError?) {
        download.leaveFirstPart()
        end(error)
    }

    private func end(_ error: SessionError?) {
        download.endDelivery()
        file.close()
        completion(error)
    }
}
