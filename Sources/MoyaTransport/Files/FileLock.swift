import Foundation

/// An exclusive lock among processes and among the locks of one (`flock(2)`), released with the object.
package final class FileLock: Sendable {
    private let file: RegularFile

    private init(_ file: consuming RegularFile) { self.file = file }

    /// Waits for the lock, without holding a thread.
    ///
    /// - Parameter path: The path of the file; it is made if it does not exist, and stays.
    /// - Returns: `nil` if the file is not this user's or its file system has no locks, or the task was cancelled.
    package static func acquire(at path: String) async -> FileLock? {
        guard let file = try? RegularFile(at: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW), file.isOwn else {
            return nil
        }
        let lock = FileLock(file)
        while let isLocked = lock.file.lock() {
            if isLocked { return lock }
            // The system has no call that waits for it without a thread.
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return nil }
        }
        return nil
    }
}
