package import Foundation

/// An open regular file; closed with the value.
///
/// The path is resolved once: kind and length are those of the open descriptor, even if the path is replaced meanwhile.
/// A pipe, a device or a socket is refused without waiting.
package struct RegularFile: ~Copyable {
    /// Descriptor, which is close-on-exec.
    package let descriptor: Int32
    /// Length in bytes when the file was opened.
    package let length: Int64
    /// `true` if the file belongs to the user of this process.
    package let isOwn: Bool
    /// `true` if the file belongs to the user of this process, or to root.
    package let isTrusted: Bool

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file; links are followed.
    ///   - folder: The folder in which the path is a name; `nil` for a path by itself.
    ///   - flags: Further flags for `open(2)`, such as `O_NOFOLLOW` or `O_WRONLY`; a file that `O_CREAT` makes can only be
    ///     used by its owner.
    package init(at path: String, in folder: Folder? = nil, flags: Int32 = 0) throws(Refusal) {
        guard !path.utf8.contains(0) else { throw .unopened(EINVAL) }
        // Opening a pipe without a writer would block, and a terminal would become that of the process.
        let flags = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = retryingOnInterrupt { openat(folder?.descriptor ?? AT_FDCWD, path, flags, 0o600) }
        guard descriptor >= 0 else {
            // A socket cannot be opened (on Darwin by another error), and a pipe without a reader cannot be written to.
            throw [ENXIO, EOPNOTSUPP].contains(errno) ? .notRegular("a socket, a pipe or a device") : .unopened(errno)
        }
        var status = stat()
        let failure = fstat(descriptor, &status) == 0 ? Self.refusal(of: status.st_mode) : .unopened(errno)
        if let failure {
            _ = closeDescriptor(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        length = Int64(status.st_size)
        isOwn = status.st_uid == geteuid()
        isTrusted = isOwn || status.st_uid == 0
    }

    deinit { _ = closeDescriptor(descriptor) }

    /// Length in bytes now; 0 if the system does not know it.
    package var currentLength: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Locks the file until its descriptor is closed (`flock(2)`), without waiting.
    ///
    /// - Returns: `false` if the lock is another descriptor's; `nil` if it cannot be locked.
    package borrowing func lock() -> Bool? { try? tryLock() }

    /// Locks the file until its descriptor is closed (`flock(2)`), without waiting.
    ///
    /// - Returns: `false` if the lock is another descriptor's.
    /// - Throws: ``SystemError``.
    borrowing func tryLock() throws(SystemError) -> Bool {
        if retryingOnInterrupt({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw SystemError(number: errno) }
        return false
    }

    /// Returns the descriptor; the caller closes it.
    package consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// `true` if the file is at a path, and was neither moved nor replaced since it was opened.
    package func isAt(_ path: String) -> Bool {
        var (file, found) = (stat(), stat())
        guard fstat(descriptor, &file) == 0, lstat(path, &found) == 0 else { return false }
        return file.st_ino == found.st_ino && file.st_dev == found.st_dev
    }

    /// Reads the whole file in its current state.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Throws: ``Refusal/tooLong(limit:)`` beyond the limit, ``Refusal/unread(_:)`` if reading fails.
    package func contents(limit: Int) throws(Refusal) -> Data {
        guard length <= Int64(limit) else { throw .tooLong(limit: limit) }
        var data = Data(count: Int(length))
        var count = 0
        while true {
            if count == data.count { data.append(Data(count: 4096)) }
            let read = data.withUnsafeMutableBytes { buffer in
                retryingOnInterrupt {
                    readDescriptor(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                }
            }
            guard read >= 0 else { throw .unread(errno) }
            count += read
            guard count <= limit else { throw .tooLong(limit: limit) }
            if read == 0 { return data.prefix(count) }
        }
    }

    /// Reads the whole file of a setting, such as a certificate or a key.
    ///
    /// Foundation would fetch a URL with another scheme over the network, and read a pipe or a device without end.
    package static func contents(of url: URL, limit: Int = 64 << 20) throws(Refusal) -> Data {
        try RegularFile(at: try path(of: url)).contents(limit: limit)
    }

    /// The path of a URL.
    ///
    /// - Throws: ``Refusal/notRegular(_:)`` unless the scheme is `file`.
    package static func path(of url: URL) throws(Refusal) -> String {
        guard url.isFileURL else { throw .notRegular("a URL with the scheme \"\(url.scheme ?? "")\"") }
        return url.path
    }

    /// The message for a file with fewer bytes than the expected number.
    package func shortfall(at path: String, of wanted: Int64) -> String {
        "\(path) has \(length) bytes, fewer than the \(wanted) that were to be sent."
    }

    /// Checks a destination path.
    ///
    /// - Returns: `true` if there is a file or a link, which is not followed.
    /// - Throws: ``Refusal`` if it is anything else.
    package static func isThere(at path: String) throws(Refusal) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw .unopened(errno)
        }
        if status.st_mode & S_IFMT != S_IFLNK, let refusal = refusal(of: status.st_mode) { throw refusal }
        return true
    }

    private static func refusal(of mode: mode_t) -> Refusal? {
        switch mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: .notRegular("a directory")
        case S_IFIFO: .notRegular("a pipe")
        case S_IFSOCK: .notRegular("a socket")
        default: .notRegular("a device")
        }
    }

    /// The reason that a file cannot be read.
    package enum Refusal: Error, Hashable, CustomStringConvertible {
        /// The file cannot be opened; the number is the system's (`errno`).
        case unopened(Int32)
        /// The path is not a regular file, but for example a directory or a pipe.
        case notRegular(String)
        /// Reading failed; the number is the system's (`errno`).
        case unread(Int32)
        /// The file is longer than the limit.
        case tooLong(limit: Int)

        /// A predicate for an error sentence whose subject is the path.
        package var description: String {
            switch self {
            case .unopened(let number): "cannot be opened: \(SystemError.text(of: number))"
            case .notRegular(let kind): "is \(kind), not a regular file"
            case .unread(let number): "cannot be read: \(SystemError.text(of: number))"
            case .tooLong(let limit): "has more than \(limit) bytes"
            }
        }

        /// The system's error number; `ENOTSUP` if the refusal is not the system's.
        package var errorNumber: Int32 {
            switch self {
            case .unopened(let number), .unread(let number): number
            case .notRegular("a directory"): EISDIR
            case .notRegular, .tooLong: ENOTSUP
            }
        }

        /// `true` if the file may be readable later.
        package var mayPass: Bool { SystemError(number: errorNumber).mayPass }
    }
}
