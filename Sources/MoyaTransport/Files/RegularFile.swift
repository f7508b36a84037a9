package import Foundation

/// A regular file that is open; closed with the value.
///
/// The path is looked at once: kind and length are those of the descriptor that the bytes are read from, whatever is put
/// in the path's place meanwhile. A pipe, a device or a socket is refused without waiting for it.
package struct RegularFile: ~Copyable {
    /// Descriptor, which is close-on-exec.
    package let descriptor: Int32
    /// Length in bytes when the file was opened.
    package let length: Int64
    /// `true` if the file belongs to the user of this process.
    package let isOwn: Bool

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file; links are followed.
    ///   - flags: More for `open(2)`, such as `O_NOFOLLOW` or `O_WRONLY`.
    package init(at path: String, flags: Int32 = 0) throws(Refusal) {
        guard !path.utf8.contains(0) else { throw .unopened(EINVAL) }
        var descriptor: Int32
        repeat {
            // A pipe without a writer would be waited for, and a terminal would become that of the process.
            descriptor = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else {
            // A socket cannot be opened, and a pipe without a reader cannot be written to.
            throw errno == ENXIO ? .notRegular("a socket, a pipe or a device") : .unopened(errno)
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
    }

    deinit { _ = closeDescriptor(descriptor) }

    /// Hands over the descriptor; the caller closes it.
    package consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Reads the whole file, as it is by now.
    ///
    /// - Parameter limit: The most bytes that it may have.
    /// - Throws: ``Refusal/tooLong(limit:)`` beyond the limit, ``Refusal/unread(_:)`` where reading fails.
    package func contents(limit: Int) throws(Refusal) -> Data {
        guard length <= Int64(limit) else { throw .tooLong(limit: limit) }
        var data = Data(count: Int(length))
        var count = 0
        while true {
            if count == data.count { data.append(Data(count: 4096)) }
            let read = data.withUnsafeMutableBytes { buffer in
                readDescriptor(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .unread(errno) }
            count += read
            guard count <= limit else { throw .tooLong(limit: limit) }
            if read == 0 { return data.prefix(count) }
        }
    }

    /// The message for a file that has fewer bytes than are to be sent.
    package func shortfall(at path: String, of wanted: Int64) -> String {
        "\(path) has \(length) bytes, fewer than the \(wanted) that were to be sent."
    }

    /// Looks at a place where a file is to be put.
    ///
    /// - Returns: `true` if there is a file or a link, which is not followed.
    /// - Throws: ``Refusal`` where there is anything else.
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
        /// It cannot be opened; the number is that of the system (`errno`).
        case unopened(Int32)
        /// It is something else, such as a directory or a pipe.
        case notRegular(String)
        /// It cannot be read on; the number is that of the system (`errno`).
        case unread(Int32)
        /// It has more bytes than the caller takes.
        case tooLong(limit: Int)

        /// The end of a sentence that begins with the path.
        package var description: String {
            switch self {
            case .unopened(let number): "cannot be opened: \(SystemError.text(of: number))"
            case .notRegular(let kind): "is \(kind), not a regular file"
            case .unread(let number): "cannot be read: \(SystemError.text(of: number))"
            case .tooLong(let limit): "has more than \(limit) bytes"
            }
        }

        /// The system's error number; `ENOTSUP` where the system did not refuse.
        package var errorNumber: Int32 {
            switch self {
            case .unopened(let number), .unread(let number): number
            case .notRegular("a directory"): EISDIR
            case .notRegular, .tooLong: ENOTSUP
            }
        }
    }
}
