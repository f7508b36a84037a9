package import Foundation

/// A new file that only its owner may read and write (0600), whatever the umask; removed with the value unless kept.
package struct PrivateFile: ~Copyable {
    /// Path of the file.
    package let path: String
    /// Descriptor to write to and read from; close-on-exec.
    private var descriptor: Int32
    private var isKept = false

    /// Makes an empty file.
    ///
    /// - Parameter path: An unused path; a link counts as used.
    /// - Throws: ``SystemError``, with `EEXIST` if the path is in use.
    package init(at path: String) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(number: EINVAL) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(number: errno) }
        // A umask may have removed the owner's permissions; it never adds those of others.
        guard fchmod(descriptor, 0o600) == 0 else {
            let error = SystemError(number: errno)
            _ = closeDescriptor(descriptor)
            unlink(path)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
    }

    /// Makes an empty file with an unused name.
    ///
    /// - Parameter prefix: The path without its random suffix.
    /// - Throws: ``SystemError``.
    package static func make(withPrefix prefix: String) throws(SystemError) -> PrivateFile {
        while true {
            do throws(SystemError) {
                return try PrivateFile(at: prefix + String(UInt64.random(in: 0 ... .max), radix: 36))
            } catch {
                if error.number != EEXIST { throw error }
            }
        }
    }

    deinit {
        if descriptor >= 0 { _ = closeDescriptor(descriptor) }
        if !isKept { unlink(path) }
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
            let count = readDescriptor(file.descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(number: errno) }
            if count == 0 { return }
            try append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Flushes the file to the disk.
    ///
    /// - Throws: ``SystemError``.
    package func synchronize() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError(number: errno) }
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
            let count = writeDescriptor(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(number: count < 0 ? errno : EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }
}
