import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file of a download under way; removed with the object unless it is kept.
final class TemporaryFile {
    let url: URL
    private var descriptor: Int32
    private var isKept = false

    private init(url: URL, descriptor: Int32) {
        self.url = url
        self.descriptor = descriptor
    }

    deinit {
        close()
        if !isKept { unlink(url.path) }
    }

    /// Makes an empty file that nobody else may read.
    static func make() throws(SessionError) -> TemporaryFile {
        let directory = FileManager.default.temporaryDirectory
        var template = Array("\(directory.path)/moya-download-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw writeFailed(
                "A temporary file cannot be made in \(directory.path): \(String(cString: strerror(errno)))")
        }
        let path = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return TemporaryFile(url: URL(fileURLWithPath: path), descriptor: descriptor)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = systemWrite(descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw Self.writeFailed("\(url.path) cannot be written: \(String(cString: strerror(errno)))")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    func close() {
        guard descriptor >= 0 else { return }
        systemClose(descriptor)
        descriptor = -1
    }

    /// Leaves the file where it is, or where it was moved.
    func keep() { isKept = true }

    private static func writeFailed(_ message: String) -> SessionError {
        .sessionTaskFailed(
            error: URLError(.cannotWriteToFile, userInfo: [NSLocalizedDescriptionKey: message]))
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
