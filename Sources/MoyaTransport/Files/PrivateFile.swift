package import Foundation

/// A new file that only its owner may read and write (0600), whatever the umask; removed with the value unless kept.
package struct PrivateFile: ~Copyable {
    /// Path of the file, in the folder if there is one.
    package let path: String
    private let folder: Folder?
    /// Descriptor to write to and read from; close-on-exec.
    private var descriptor: Int32
    private var isKept = false

    /// Makes an empty file.
    ///
    /// - Parameters:
    ///   - path: An unused path; a link counts as used.
    ///   - folder: The folder in which the path is a name; `nil` for a path by itself.
    /// - Throws: ``SystemError``, with `EEXIST` if the path is in use.
    package init(at path: String, in folder: Folder? = nil) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(number: EINVAL) }
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = retryingOnInterrupt { openat(folder?.descriptor ?? AT_FDCWD, path, flags, 0o600) }
        guard descriptor >= 0 else { throw SystemError(number: errno) }
        // A umask may have removed the owner's permissions; it never adds those of others.
        guard fchmod(descriptor, 0o600) == 0 else {
            let error = SystemError(number: errno)
            _ = closeDescriptor(descriptor)
            unlinkat(folder?.descriptor ?? AT_FDCWD, path, 0)
            throw error
        }
        self.path = path
        self.folder = folder
        self.descriptor = descriptor
    }

    /// Makes an empty file with an unused name.
    ///
    /// - Parameters:
    ///   - prefix: The path without its random suffix.
    ///   - folder: The folder in which the path is a name; `nil` for a path by itself.
    /// - Throws: ``SystemError``.
    package static func make(withPrefix prefix: String, in folder: Folder? = nil) throws(SystemError) -> PrivateFile {
        while true {
            do throws(SystemError) {
                return try PrivateFile(at: prefix + randomSuffix, in: folder)
            } catch {
                if error.number != EEXIST { throw error }
            }
        }
    }

    /// A suffix with which hardly any file is named twice.
    package static var randomSuffix: String { String(UInt64.random(in: 0 ... .max), radix: 36) }

    deinit {
        if descriptor >= 0 { _ = closeDescriptor(descriptor) }
        if !isKept { unlinkat(folder?.descriptor ?? AT_FDCWD, path, 0) }
    }

    /// Appends all of the bytes.
    ///
    /// - Throws: ``SystemError``.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try Self.append(bytes, to: descriptor)
    }

    /// Appends data.
    ///
    /// - Throws: ``SystemError``.
    package func append(_ data: Data) throws(SystemError) {
        var failure: SystemError?
        data.withUnsafeBytes { bytes in
            do throws(SystemError) {
                try append(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Appends the bytes of another file.
    ///
    /// - Throws: ``SystemError``.
    package func append(contentsOf file: borrowing RegularFile) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = retryingOnInterrupt { readDescriptor(file.descriptor, buffer.baseAddress, buffer.count) }
            guard count >= 0 else { throw SystemError(number: errno) }
            if count == 0 { return }
            try append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Flushes the file to the disk.
    ///
    /// - Throws: ``SystemError``.
    package func synchronize() throws(SystemError) {
        guard retryingOnInterrupt({ fsync(descriptor) }) == 0 else { throw SystemError(number: errno) }
    }

    /// Locks the file until its descriptor is closed, so that another process can tell it from one that was left by a
    /// process that has ended; without effect on a file system without locks.
    package func lock() { _ = retryingOnInterrupt { flock(descriptor, LOCK_EX | LOCK_NB) } }

    /// Removes the files that processes have locked, written and left when they ended.
    ///
    /// - Parameter prefix: The path without its random suffix.
    package static func removeAbandoned(withPrefix prefix: String) {
        let url = URL(fileURLWithPath: prefix)
        let directory = url.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names where name.hasPrefix(url.lastPathComponent) {
            let path = "\(directory)/\(name)"
            // One that is empty may not be locked yet.
            guard let file = try? RegularFile(at: path, flags: O_NOFOLLOW), file.isOwn, file.length > 0,
                file.lock() == true
            else { continue }
            unlink(path)
        }
    }

    /// Keeps the file at its current path, or where it has been moved.
    package mutating func keep() { isKept = true }

    /// Keeps the file and returns the descriptor; the caller closes it.
    package consuming func release() -> Int32 {
        isKept = true
        return releaseWithoutName()
    }

    /// Removes the file's name and returns the descriptor; the caller closes it.
    package consuming func releaseWithoutName() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }

    /// Writes all of the bytes to a descriptor.
    ///
    /// - Throws: ``SystemError``.
    package static func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = retryingOnInterrupt { writeDescriptor(descriptor, rest.baseAddress, rest.count) }
            guard count > 0 else { throw SystemError(number: count < 0 ? errno : EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }
}
