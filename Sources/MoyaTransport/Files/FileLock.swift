import Foundation

/// A lock of a file (`flock(2)`) that at most one holder among all processes has; given back with the value, and by the
/// end of the process.
package final class FileLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = closeDescriptor(descriptor) }

    /// Waits for the lock, without holding a thread.
    ///
    /// - Parameter path: The path of the file; it is made if it does not exist, and stays.
    /// - Returns: `nil` if the file is not this user's or its file system has no locks, or the task was cancelled.
    package static func acquire(at path: String) async -> FileLock? {
        guard let file = try? RegularFile(at: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW), file.isOwn else {
            return nil
        }
        let lock = FileLock(file.release())
        while flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { return nil }
            // The system has no call that waits for it without a thread.
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return nil }
        }
        return lock
    }
}
