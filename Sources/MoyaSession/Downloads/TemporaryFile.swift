import Foundation
import MoyaTransport

/// The file of a download in progress; deleted with the object unless it is kept.
///
/// `@unchecked`: the body of an attempt owns it, and hands it on once it is complete.
final class TemporaryFile: @unchecked Sendable {
    private(set) var url: URL
    /// The number of bytes in it.
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

    /// `true` if a file name has the form of ``make()``, and contains no path.
    static func isNameOfDownload(_ name: String) -> Bool {
        name.hasPrefix(namePrefix) && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
    }

    /// `true` if the file of an earlier download exists, with at least the expected length.
    static func isThere(_ url: URL, length: Int64) -> Bool {
        guard let file = try? opened(url) else { return false }
        return file.length >= length
    }

    /// Opens the file of an earlier download to append to it; the file is always kept.
    ///
    /// One at a time: two requests that continue the same part would mix their bytes.
    static func reopen(_ url: URL, length: Int64) throws(SessionError) -> TemporaryFile {
        let descriptor: Int32
        do throws(RegularFile.Refusal) {
            let file = try opened(url, flags: O_WRONLY | O_APPEND)
            if file.lock() == false { throw .unopened(EWOULDBLOCK) }
            // The other request may have moved it meanwhile, or cut it to begin earlier.
            guard file.isAt(url.path), file.currentLength >= length else { throw .unopened(ENOENT) }
            let isCut = retryingOnInterrupt { ftruncate(file.descriptor, off_t(length)) } == 0
            guard isCut else { throw .unopened(errno) }
            descriptor = file.release()
        } catch {
            let isInUse = error == .unopened(EWOULDBLOCK)
            let reason = isInUse ? "is written by another request, which continues the same download" : "\(error)"
            throw writeFailed("\(url.path) \(reason)")
        }
        return TemporaryFile(url: url, descriptor: descriptor, length: length, isKept: true)
    }

    /// Removes the file of an earlier download, unless another request writes to it.
    static func removeUnused(_ url: URL) {
        guard let file = try? opened(url), file.lock() != false else { return }
        unlink(url.path)
    }

    /// Opens the file of an earlier download; refuses a link, or another user's file, which could redirect writes or
    /// contain foreign bytes.
    private static func opened(_ url: URL, flags: Int32 = 0) throws(RegularFile.Refusal) -> RegularFile {
        let file = try RegularFile(at: url.path, flags: flags | O_NOFOLLOW)
        guard file.isOwn else { throw .unopened(EPERM) }
        return file
    }

    /// Makes an empty file that only its owner may read.
    static func make() throws(SessionError) -> TemporaryFile {
        let directory = FileManager.default.temporaryDirectory
        do throws(SystemError) {
            let file = try PrivateFile.make(withPrefix: "\(directory.path)/\(namePrefix)")
            let url = URL(fileURLWithPath: file.path)
            let descriptor = file.release()
            // A file that another program cuts stays shorter than what was written, without a gap.
            _ = fcntl(descriptor, F_SETFL, O_APPEND)
            return TemporaryFile(url: url, descriptor: descriptor)
        } catch {
            throw writeFailed("A temporary file cannot be made in \(directory.path): \(error)")
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        do throws(SystemError) {
            try PrivateFile.append(bytes, to: descriptor)
        } catch {
            throw Self.writeFailed("\(url.path) cannot be written: \(error)")
        }
        length += Int64(bytes.count)
    }

    /// Throws an error if another program has changed the file's length, or has put another file at its path, or
    /// if the system cannot say.
    func verify() throws(SessionError) {
        var (file, found) = (stat(), stat())
        let isFound = fstat(descriptor, &file) == 0 && lstat(url.path, &found) == 0
        guard isFound || [ENOENT, ENOTDIR].contains(errno) else {
            throw Self.writeFailed("\(url.path) cannot be checked: \(SystemError.text(of: errno))")
        }
        guard isFound, file.st_ino == found.st_ino, file.st_dev == found.st_dev, Int64(file.st_size) == length else {
            throw Self.writeFailed("Another program has changed, moved or removed \(url.path) during the download.")
        }
    }

    func close() {
        guard descriptor >= 0 else { return }
        systemClose(descriptor)
        descriptor = -1
    }

    /// Gives the file another name, by which no resume data finds it; it keeps the old one if that fails.
    func rename() {
        let name = Self.namePrefix + PrivateFile.randomSuffix
        let other = url.deletingLastPathComponent().appendingPathComponent(name)
        if systemRename(url.path, other.path) == 0 { url = other }
    }

    /// Keeps the file at its path, or where it was moved.
    func keep() { isKept = true }

    private static func writeFailed(_ message: String) -> SessionError {
        .sessionTaskFailed(
            error: URLError(.cannotWriteToFile, userInfo: [NSLocalizedDescriptionKey: message]))
    }
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

private func systemRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }
