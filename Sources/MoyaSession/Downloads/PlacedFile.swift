import Foundation
import MoyaTransport

/// A file that a download put at its destination.
struct PlacedFile: Sendable {
    private let path: String
    private let identity: Identity

    /// Makes the value for a file that is about to be moved; `nil` without one.
    ///
    /// - Parameters:
    ///   - path: The destination.
    ///   - source: The current path.
    init?(at path: String, movedFrom source: String) {
        guard let identity = Identity(ofFileAt: source) else { return nil }
        self.path = path
        self.identity = identity
    }

    /// Deletes the file, unless it was moved or changed, or another one took its place.
    func remove() {
        if Identity(ofFileAt: path) == identity { unlink(path) }
    }

    /// The properties that tell a file from another one, which may have the inode of a deleted one.
    private struct Identity: Hashable, Sendable {
        let device: dev_t
        let inode: ino_t
        let length: off_t
        let seconds: Int
        let nanoseconds: Int

        init?(ofFileAt path: String) {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            #if canImport(Darwin)
            let modified = status.st_mtimespec
            #else
            let modified = status.st_mtim
            #endif
            device = status.st_dev
            inode = status.st_ino
            length = status.st_size
            seconds = Int(modified.tv_sec)
            nanoseconds = Int(modified.tv_nsec)
        }
    }
}

/// The file of a download, which is removed before another attempt writes to the same destination.
package final class DownloadedFile: Sendable {
    private struct State {
        var file: PlacedFile?
        var isAbandoned = false
    }

    private let state = Lock(State())

    /// Stores the file of an attempt; removes it if the download was abandoned meanwhile.
    func put(_ file: PlacedFile?) {
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.file = file }
            return state.isAbandoned
        }
        if isAbandoned { file?.remove() }
    }

    /// Removes the file, because the same request is sent again.
    func remove() { state.withLock { $0.file.take() }?.remove() }

    /// Removes the file, even if it is put there later, because another request replaces this one.
    package func abandon() {
        let file = state.withLock { state in
            state.isAbandoned = true
            return state.file.take()
        }
        file?.remove()
    }
}
