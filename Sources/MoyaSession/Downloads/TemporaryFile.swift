import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file of a download under way; removed with the object unless it is kept.
final class TemporaryFile {
    let url: URL
    /// How many bytes it holds.
    private(set) var length: Int64
    private var descriptor: Int32
    private var isKept: Bool

    private init(url: URL, descriptor: Int32, length: Int64 = 0, isKept: Bool = false) {
        self.url = url
        self.descriptor = descriptor
        self.length = length
        self.isKept = isKept
    }

    deinit {
        close()
        if !isKept { unlink(url.path) }
    }

    private static let namePrefix = "moya-download-"

    /// Whether a file's name is one that ``make()`` gives, and leads nowhere else.
    static func isNameOfDownload(_ name: String) -> Bool {
        name.hasPrefix(namePrefix) && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
    }

    /// Opens a file that an earlier download has left, to be written on after its first bytes; it stays whatever comes.
    static func reopen(_ url: URL, length: Int64) throws(SessionError) -> TemporaryFile {
        // A link that stands there in its place would have another file written.
        let descriptor = open(url.path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0, ftruncate(descriptor, off_t(length)) == 0 else {
            let why = String(cString: strerror(errno))
            if descriptor >= 0 { systemClose(descriptor) }
            throw writeFailed("\(url.path) cannot be written on: \(why)")
        }
        return TemporaryFile(url: url, descriptor: descriptor, length: length, isKept: true)
    }

    /// Makes an empty file that nobody else may read.
    static func make() throws(SessionError) -> TemporaryFile {
        let directory = FileManager.default.temporaryDirectory
        var template = Array("\(directory.path)/\(namePrefix)XXXXXX".utf8CString)
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
            length += Int64(count)
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
