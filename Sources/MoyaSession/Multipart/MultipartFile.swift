import Foundation

/// The file that a body is written to: made anew, readable by its owner only, and removed if it does not become whole.
struct MultipartFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private var isWhole = false

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Makes the file; fails, leaving things as they are, if there is one already.
    init(at url: URL) throws(SessionError) {
        // Exclusive: no file, and no link that someone put there meanwhile, is written through.
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw .multipartEncodingFailed(
                reason: errno == EEXIST
                    ? .outputStreamFileAlreadyExists(at: url) : .outputStreamCreationFailed(for: url))
        }
        self.init(descriptor: descriptor, path: url.path)
    }

    deinit {
        close(descriptor)
        if !isWhole { unlink(path) }
    }

    /// Writes all of the bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = writeBytes(descriptor, rest)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno != EINTR {
                throw SessionError.multipartEncodingFailed(
                    reason: .outputStreamWriteFailed(error: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)))
            }
        }
    }

    /// Keeps the file.
    mutating func finish() { isWhole = true }
}

/// The system's `write`, out of reach of the methods of that name.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
