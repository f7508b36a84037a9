import Foundation

/// An exclusive lock among processes and among the locks of one (`flock(2)`), released with the object.
package final class FileLock: Sendable {
    private let file: RegularFile

    private init(_ file: consuming RegularFile) { self.file = file }

    /// The errors that may pass: a shortage of descriptors or memory, or a fault of the disk.
    private static let shortages = [EMFILE, ENFILE, ENOMEM, EIO]
    /// The number of times after which `ENOLCK` is not a shortage of locks, but a file system without them.
    private static let mostRefusals = 50

    /// Waits for the lock, also while the system is short of descriptors or memory, without holding a thread.
    ///
    /// - Parameter path: The path of the file; it is made if it does not exist, and stays.
    /// - Returns: `nil` if the file is not this user's or its file system has no locks, or the task was cancelled.
    package static func acquire(at path: String) async -> FileLock? {
        await acquire { () throws(SystemError) in try tryAcquire(at: path) }
    }

    /// Repeats an attempt until it returns a lock, or an error means that there is none.
    package static func acquire(by attempt: () throws(SystemError) -> FileLock?) async -> FileLock? {
        var refusals = 0
        while true {
            do throws(SystemError) {
                if let lock = try attempt() { return lock }
            } catch {
                if error.number == ENOLCK { refusals += 1 }
                let mayPass = error.number == ENOLCK ? refusals < mostRefusals : shortages.contains(error.number)
                guard mayPass else { return nil }
            }
            // The system has no call that waits for it without a thread.
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return nil }
        }
    }

    /// Locks the file without waiting; `nil` if the lock is another's.
    ///
    /// - Throws: ``SystemError``, with `EPERM` if the file is another user's.
    package static func tryAcquire(at path: String) throws(SystemError) -> FileLock? {
        let file: RegularFile
        do throws(RegularFile.Refusal) {
            file = try RegularFile(at: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW)
        } catch {
            throw SystemError(number: error.errorNumber)
        }
        guard file.isOwn else { throw SystemError(number: EPERM) }
        return try file.tryLock() ? FileLock(file) : nil
    }
}
