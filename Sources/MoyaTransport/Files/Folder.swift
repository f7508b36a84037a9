package import Foundation

/// An open folder, whose files are used by their names in it (`openat(2)`).
///
/// The path is resolved once: if the folder is moved meanwhile, or its path leads elsewhere, the files are still those
/// of the open folder.
package final class Folder: Sendable {
    /// Descriptor, which is close-on-exec.
    let descriptor: Int32

    /// Opens a folder.
    ///
    /// - Parameter path: The path of the folder. A link is followed only if it is this user's own: one of another user
    ///   may point to any of this user's folders.
    /// - Throws: ``SystemError``.
    package init(at path: String) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(number: EINVAL) }
        var status = stat()
        let isOwnLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK && status.st_uid == geteuid()
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isOwnLink ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else { throw SystemError(number: errno) }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// A folder that cannot be opened: nothing is found or made in it (`EBADF`).
    package static var unopened: Folder { Folder(descriptor: -1) }

    deinit { if descriptor >= 0 { _ = closeDescriptor(descriptor) } }

    /// Restricts the folder to its owner (0700), if that is the user of this process; a shared one, such as that of
    /// temporary files, is unchanged.
    package func restrict() {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else { return }
        guard status.st_mode & S_ISVTX == 0, status.st_mode & 0o077 != 0 else { return }
        fchmod(descriptor, status.st_mode & 0o700)
    }

    /// The names of the items.
    ///
    /// - Throws: ``SystemError`` if not all of them can be read.
    package var names: [String] {
        get throws(SystemError) {
            // Not a duplicate of the descriptor, whose position the readers would share.
            let reader = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard reader >= 0 else { throw SystemError(number: errno) }
            guard let items = fdopendir(reader) else {
                let error = SystemError(number: errno)
                _ = closeDescriptor(reader)
                throw error
            }
            defer { closedir(items) }
            var names: [String] = []
            while true {
                // Only a changed `errno` tells an error from the end.
                errno = 0
                guard let item = readdir(items) else {
                    guard errno == 0 else { throw SystemError(number: errno) }
                    return names
                }
                let name = withUnsafePointer(to: &item.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
        }
    }

    /// The status of an item, which is that of the link itself if it is one; `nil` if there is none.
    ///
    /// - Throws: ``SystemError``.
    package func status(of name: String) throws(SystemError) -> stat? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        guard errno == ENOENT else { throw SystemError(number: errno) }
        return nil
    }

    /// Gives a file another name, which atomically replaces a file of that name.
    ///
    /// - Throws: ``SystemError``.
    package func rename(_ name: String, to newName: String) throws(SystemError) {
        guard renameat(descriptor, name, descriptor, newName) == 0 else { throw SystemError(number: errno) }
    }

    /// Writes a file that only its owner may read, which atomically replaces a file of its name.
    ///
    /// - Throws: ``SystemError``.
    package func replace(_ name: String, with data: Data) throws(SystemError) {
        var file = try PrivateFile.make(withPrefix: "\(name).", in: self)
        try file.append(data)
        try rename(file.path, to: name)
        file.keep()
    }

    /// Gives a file a second name.
    ///
    /// - Throws: ``SystemError``, with `EEXIST` if the name is in use.
    package func link(_ name: String, as newName: String) throws(SystemError) {
        guard linkat(descriptor, name, descriptor, newName, 0) == 0 else { throw SystemError(number: errno) }
    }

    /// Removes a file.
    ///
    /// - Throws: ``SystemError``, with `ENOENT` if there is none.
    package func remove(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, 0) == 0 else { throw SystemError(number: errno) }
    }

    /// Sets the times of a file to the present.
    package func touch(_ name: String) { _ = utimensat(descriptor, name, nil, AT_SYMLINK_NOFOLLOW) }

    /// Restricts a file to its owner (0600), if that is the user of this process.
    package func restrictFile(_ name: String) {
        guard let status = try? status(of: name), status.st_mode & 0o077 != 0 else { return }
        guard let file = try? RegularFile(at: name, in: self, flags: O_NOFOLLOW), file.isOwn else { return }
        fchmod(file.descriptor, 0o600)
    }
}
