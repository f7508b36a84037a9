import Foundation
import MoyaTransport

/// Reads one piece into the caller's buffers.
final class MultipartPieceReader {
    private let piece: MultipartPiece
    private let seeksEnd: Bool
    private var descriptor: Int32 = -1
    private var done: UInt64 = 0

    /// Opens the file or the stream, if there is one.
    ///
    /// - Parameter seeksEnd: `true` if more bytes than the stated length are an error; otherwise the surplus is not
    ///   read.
    /// - Throws: `bodyPartInputStreamCreationFailed`.
    init(_ piece: MultipartPiece, seeksEnd: Bool) throws(SessionError) {
        self.piece = piece
        self.seeksEnd = seeksEnd
        switch piece.source {
        case .data: break
        case .file(let url):
            guard let file = try? RegularFile(at: url.path) else {
                throw .multipartEncodingFailed(reason: .bodyPartInputStreamCreationFailed(for: url))
            }
            descriptor = file.release()
        case .stream(let source):
            if source.stream.streamStatus == .notOpen { source.stream.open() }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if case .stream(let source) = piece.source { source.stream.close() }
    }

    /// Fills the buffer from its start and returns the number of bytes; 0 at the end.
    ///
    /// - Throws: `inputStreamReadFailed`, also if the piece is longer or shorter than stated.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SessionError) -> Int {
        let isBounded = piece.length != nil && !seeksEnd
        let wanted = isBounded ? Int(min(UInt64(buffer.count), remaining)) : buffer.count
        let count: Int
        do {
            count = wanted == 0 ? 0 : try readSome(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        } catch {
            throw .multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
        }
        done += UInt64(count)
        if let length = piece.length, count == 0 ? done != length : done > length {
            throw .multipartEncodingFailed(
                reason: .inputStreamReadFailed(
                    error: SessionError.UnexpectedInputStreamLength(bytesExpected: length, bytesRead: done)))
        }
        return count
    }

    private var remaining: UInt64 { piece.length.map { $0 > done ? $0 - done : 0 } ?? .max }

    private func readSome(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        switch piece.source {
        case .data(let data):
            let start = data.startIndex + Int(done)
            return data[start...].copyBytes(to: buffer)
        case .file:
            let count = retryingOnInterrupt { readDescriptor(descriptor, buffer.baseAddress, buffer.count) }
            guard count >= 0 else { throw SystemError.posix(errno) }
            return count
        case .stream(let source):
            guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
            let count = source.stream.read(start, maxLength: buffer.count)
            guard count <= buffer.count else { throw InputStreamFailure.overlong(count, buffer: buffer.count) }
            guard count >= 0 else { throw Self.error(of: source.stream) }
            return count
        }
    }

    private static func error(of stream: InputStream) -> any Error {
        // On other than Apple platforms `streamError` may stop the program.
        #if canImport(Darwin)
        stream.streamError ?? CocoaError(.fileReadUnknown)
        #else
        CocoaError(.fileReadUnknown)
        #endif
    }
}
