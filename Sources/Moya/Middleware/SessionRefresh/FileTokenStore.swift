public import Foundation
import MoyaTransport

/// Stores tokens in a file that only its owner may read (0600).
///
/// A new file atomically replaces the old one: a reader finds either file complete, also after a crash.
///
/// Several processes may use one file: while one refreshes the tokens, which it shows by locking a second file with the
/// name and `.lock`, the others wait, and then use its new tokens.
public actor FileTokenStore: OAuthTokenStore {
    /// The reason that the file cannot be used.
    public enum Failure: Error, Sendable {
        /// Reading failed; the number is the system's (`errno`).
        case unreadable(path: String, errorNumber: Int32)
        /// The file does not contain tokens, or there is no file at the path; the reason ends with the remedy.
        case noTokens(path: String, reason: String)
        /// Writing or removing failed; the number is the system's (`errno`).
        case unwritable(path: String, errorNumber: Int32)
    }

    /// The maximum length of a token file.
    private static let longestFile = 1 << 20

    /// The path of the file, or the reason that there is none.
    private let resolvedPath: Result<String, Failure>

    /// Makes a store.
    ///
    /// - Parameter file: The token file; created when tokens are saved. Its directory must exist. With a URL that is not
    ///   a file URL, every method throws.
    public init(file: URL) {
        do throws(RegularFile.Refusal) {
            resolvedPath = .success(try RegularFile.path(of: file))
        } catch {
            resolvedPath = .failure(Self.failure(error, at: SecretMask.standard.url(file.absoluteString)))
        }
    }

    /// The tokens in the file; `nil` if there is no file.
    ///
    /// A file of another user than root and this process's is refused.
    ///
    /// - Throws: ``Failure``.
    public func load() throws -> OAuthTokens? {
        let path = try resolvedPath.get()
        let data: Data
        do throws(RegularFile.Refusal) {
            let file = try RegularFile(at: path)
            // In a folder that others can write to, anybody could leave tokens for this user.
            guard file.isTrusted else { throw .unopened(EPERM) }
            data = try file.contents(limit: Self.longestFile)
        } catch {
            if error == .unopened(ENOENT) { return nil }
            throw Self.failure(error, at: path)
        }
        do {
            return try JSONDecoder().decode(OAuthTokens.self, from: data)
        } catch {
            // Not the error's own text, which may quote the file.
            let reason = "its \(data.count) bytes are not the JSON of OAuthTokens. \(Self.removal)"
            throw Failure.noTokens(path: path, reason: reason)
        }
    }

    /// Writes tokens to a new file, which replaces the old one.
    ///
    /// - Throws: ``Failure``; the old file is then unchanged.
    public func save(_ tokens: OAuthTokens) throws {
        let path = try resolvedPath.get()
        let data = try JSONEncoder().encode(tokens)
        try Self.check(path)
        do throws(SystemError) {
            // Created with its permissions, not changed later, and never through an existing link.
            var file = try PrivateFile.make(withPrefix: Self.newFile(of: path))
            file.lock()
            try file.append(data)
            try file.synchronize()
            guard rename(file.path, path) == 0 else { throw SystemError(number: errno) }
            file.keep()
        } catch {
            throw Failure.unwritable(path: path, errorNumber: error.number)
        }
        Self.synchronizeDirectory(of: path)
        PrivateFile.removeAbandoned(withPrefix: Self.newFile(of: path))
    }

    /// Removes the file.
    ///
    /// - Throws: ``Failure``.
    public func clear() throws {
        let path = try resolvedPath.get()
        try Self.check(path)
        guard unlink(path) == 0 || errno == ENOENT else { throw Failure.unwritable(path: path, errorNumber: errno) }
        PrivateFile.removeAbandoned(withPrefix: Self.newFile(of: path))
        Self.synchronizeDirectory(of: path)
    }

    /// Replaces tokens in one step, as far as this store alone writes the file.
    ///
    /// - Throws: ``Failure``.
    public func replace(_ old: OAuthTokens, with new: OAuthTokens?) async throws -> OAuthTokens? {
        let stored = try load()
        guard let stored, stored.hasRefreshToken(of: old) else { return stored }
        if let new { try save(new) } else { try clear() }
        return new
    }

    /// Waits for the lock of the file; `nil` if its file system has no locks, or the lock is another user's.
    public func refreshLock() async -> (any Sendable)? {
        guard let path = try? resolvedPath.get() else { return nil }
        return await FileLock.acquire(at: "\(path).lock")
    }

    /// The path, without its random suffix, of a file that replaces the store's.
    private static func newFile(of path: String) -> String { "\(path).tmp-" }

    /// Refuses to replace a device, a pipe or a socket.
    private static func check(_ path: String) throws(Failure) {
        do throws(RegularFile.Refusal) {
            _ = try RegularFile.isThere(at: path)
        } catch {
            if case .unopened(let number) = error { throw .unwritable(path: path, errorNumber: number) }
            throw failure(error, at: path)
        }
    }

    private static func failure(_ refusal: RegularFile.Refusal, at path: String) -> Failure {
        switch refusal {
        case .unopened(let number), .unread(let number): .unreadable(path: path, errorNumber: number)
        case .notRegular: .noTokens(path: path, reason: "it \(refusal). \(replacement)")
        case .tooLong: .noTokens(path: path, reason: "it \(refusal). \(removal)")
        }
    }

    /// The remedy for a file with other content.
    private static let removal = "Remove the file, or call clear(), and log in again"
    /// The remedy for a directory, a pipe and so on, which the store neither replaces nor removes.
    private static let replacement = "Pass FileTokenStore the file URL of a regular file, which need not exist"

    /// Makes a new name, or its removal, durable; errors are ignored, for file systems without support.
    private static func synchronizeDirectory(of path: String) {
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = retryingOnInterrupt { open(directory.isEmpty ? "." : directory, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return }
        _ = retryingOnInterrupt { fsync(descriptor) }
        close(descriptor)
    }
}

extension FileTokenStore.Failure: LocalizedError {
    /// Names the problem and its remedy.
    public var errorDescription: String? {
        switch self {
        case .unreadable(let path, let number):
            "The tokens in \(path) could not be read: \(SystemError.text(of: number)). Check that the file is the user's."
        case .noTokens(let path, let reason):
            "There are no tokens in \(path): \(reason)."
        case .unwritable(let path, let number):
            "The tokens could not be written to \(path): \(SystemError.text(of: number)). Check that its directory is there and the user's."
        }
    }
}
