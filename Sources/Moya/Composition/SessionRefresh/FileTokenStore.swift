public import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps tokens in a file that its owner alone may read (0600).
///
/// A new file takes the place of the old in one step: whoever reads finds the one or the other whole, also after a crash.
public actor FileTokenStore: TokenStore {
    /// Why the file could not be used.
    public enum Failure: Error, Sendable {
        /// It could not be read; the number is that of the system (`errno`).
        case unreadable(path: String, errorNumber: Int32)
        /// It holds something else than tokens.
        case noTokens(path: String, reason: String)
        /// It could not be written or removed; the number is that of the system (`errno`).
        case unwritable(path: String, errorNumber: Int32)
    }

    /// Nothing that is longer is taken for tokens.
    private static let longestFile = 1 << 20

    private let path: String

    /// Makes a store.
    ///
    /// - Parameter file: Where the tokens are kept; made when tokens are saved. Its directory must be there.
    public init(file: URL) { path = file.path }

    /// The tokens in the file; `nil` when there is no file.
    ///
    /// - Throws: ``Failure``.
    public func load() throws -> Tokens? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure.unreadable(path: path, errorNumber: errno)
        }
        defer { close(descriptor) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure.unreadable(path: path, errorNumber: errno) }
            if count == 0 { break }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= Self.longestFile else {
                throw Failure.noTokens(path: path, reason: "it is longer than \(Self.longestFile) bytes")
            }
        }
        do {
            return try JSONDecoder().decode(Tokens.self, from: data)
        } catch {
            // Not the error's own text, which may quote what it has read.
            throw Failure.noTokens(path: path, reason: "its \(data.count) bytes are not the JSON of Tokens")
        }
    }

    /// Writes tokens to a new file, and puts it in the place of the old.
    ///
    /// - Throws: ``Failure``; the old file is then as it was.
    public func save(_ tokens: Tokens) throws {
        let data = try JSONEncoder().encode(tokens)
        let temporary = "\(path).\(UInt64.random(in: 0 ... .max))"
        // Made with its permissions, not given them later, and never through a link that somebody put there.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure.unwritable(path: path, errorNumber: errno) }
        let failure = Self.write(data, to: descriptor)
        close(descriptor)
        if let failure {
            unlink(temporary)
            throw Failure.unwritable(path: path, errorNumber: failure)
        }
        guard rename(temporary, path) == 0 else {
            let number = errno
            unlink(temporary)
            throw Failure.unwritable(path: path, errorNumber: number)
        }
        Self.synchronizeDirectory(of: path)
    }

    /// Removes the file.
    ///
    /// - Throws: ``Failure``.
    public func clear() throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw Failure.unwritable(path: path, errorNumber: errno) }
    }

    /// Writes everything to the disk; gives the system's error number when that fails.
    private static func write(_ data: Data, to descriptor: Int32) -> Int32? {
        // A umask can take permissions away; it must not take the owner's.
        guard fchmod(descriptor, 0o600) == 0 else { return errno }
        let failure = data.withUnsafeBytes { bytes -> Int32? in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = UnsafeRawBufferPointer(rebasing: rest).withMemoryRebound(to: UInt8.self) {
                    writeBytes(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                rest = rest.dropFirst(count)
            }
            return nil
        }
        if let failure { return failure }
        return fsync(descriptor) == 0 ? nil : errno
    }

    /// Makes the new name last; a file system that cannot has nothing to make last.
    private static func synchronizeDirectory(of path: String) {
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// The system's `write`, under a name that no method hides.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

extension FileTokenStore.Failure: LocalizedError {
    /// What is wrong and what to do about it.
    public var errorDescription: String? {
        switch self {
        case .unreadable(let path, let number):
            "The tokens in \(path) could not be read: \(Self.text(of: number)). Check that the file is the user's."
        case .noTokens(let path, let reason):
            "There are no tokens in \(path): \(reason). Remove the file, or call clear(), and log in again."
        case .unwritable(let path, let number):
            "The tokens could not be written to \(path): \(Self.text(of: number)). Check that its directory is there and the user's."
        }
    }

    private static func text(of number: Int32) -> String { strerror(number).map { String(cString: $0) } ?? "\(number)" }
}
