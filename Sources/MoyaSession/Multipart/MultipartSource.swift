import Foundation

/// Where the bytes of one part come from.
enum MultipartSource: Sendable {
    /// Memory.
    case data(Data)
    /// A file, opened when it is written.
    case file(URL)
    /// A stream of the user's.
    case stream(Stream)

    /// A stream on its way from whoever appended it to whoever encodes the form.
    // Unchecked: the stream is handed over when it is appended, and read by the one call that takes the parts out.
    struct Stream: @unchecked Sendable {
        let stream: InputStream
    }

    /// How much is held in memory of a part that is being copied.
    static let bufferSize = 64 * 1024

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

    /// Reads the bytes and passes them on piece by piece.
    ///
    /// - Parameters:
    ///   - length: How many bytes there should be.
    ///   - seeksEnd: Whether there must not be more; otherwise what is more is not read.
    /// - Throws: `inputStreamReadFailed`, `bodyPartInputStreamCreationFailed`, or what `write` throws.
    func read(length: UInt64, seeksEnd: Bool, write: (UnsafeRawBufferPointer) throws -> Void) throws {
        switch self {
        case .data(let data):
            try data.withUnsafeBytes(write)
        case .file(let url):
            let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw SessionError.multipartEncodingFailed(reason: .bodyPartInputStreamCreationFailed(for: url))
            }
            defer { close(descriptor) }
            try copy(length: length, seeksEnd: seeksEnd, write: write) { buffer in
                while true {
                    let count = readBytes(descriptor, buffer)
                    if count >= 0 { return count }
                    if errno != EINTR { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
                }
            }
        case .stream(let source):
            let stream = source.stream
            if stream.streamStatus == .notOpen { stream.open() }
            defer { stream.close() }
            try copy(length: length, seeksEnd: seeksEnd, write: write) { buffer in
                guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
                let count = stream.read(start, maxLength: buffer.count)
                if count >= 0 { return count }
                throw Self.error(of: stream)
            }
        }
    }

    private func copy(
        length: UInt64, seeksEnd: Bool, write: (UnsafeRawBufferPointer) throws -> Void,
        read: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws {
        var done: UInt64 = 0
        try withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 1) { buffer in
            while seeksEnd ? done <= length : done < length {
                let wanted = seeksEnd ? buffer.count : Int(min(UInt64(buffer.count), length - done))
                let count: Int
                do {
                    count = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
                } catch {
                    throw SessionError.multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
                }
                if count == 0 { break }
                done += UInt64(count)
                try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        if done != length {
            throw SessionError.multipartEncodingFailed(
                reason: .inputStreamReadFailed(
                    error: SessionError.UnexpectedInputStreamLength(bytesExpected: length, bytesRead: done)))
        }
    }

    private static func error(of stream: InputStream) -> any Error {
        // Elsewhere than on Apple platforms `streamError` may stop the program.
        #if canImport(Darwin)
        stream.streamError ?? CocoaError(.fileReadUnknown)
        #else
        CocoaError(.fileReadUnknown)
        #endif
    }
}

/// The system's `read`, out of reach of the methods of that name.
private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
