#if os(Linux)
import Foundation
import MoyaTransport

/// The file to which TLS keys are written.
final class KeyLogFile: Sendable {
    #if DEBUG
    static let isDebugBuild = true
    #else
    static let isDebugBuild = false
    #endif

    /// The descriptor, open for appending during the lifetime of the value.
    let descriptor: Int32

    /// Opens a file, or makes one; only its owner can read it from then on.
    ///
    /// - Throws: ``TransportFailure`` in a release build, if the file cannot be written, and if it is a pipe, a device
    ///   or another user's file.
    init(at file: URL, isDebugBuild: Bool = KeyLogFile.isDebugBuild) throws(TransportFailure) {
        guard isDebugBuild else {
            throw CurlSockets.invalid(
                "tlsKeyLogFile", "keys are written in debug builds only. Build with -c debug, or leave it out.")
        }
        let path = file.path
        guard file.isFileURL, !path.utf8.contains(0) else {
            throw CurlSockets.invalid("tlsKeyLogFile", "\(file.absoluteString.debugDescription) is no file.")
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            throw CurlSockets.invalid("tlsKeyLogFile", "\(path) cannot be written: \(SystemError.text(of: errno)).")
        }
        if let problem = Self.problem(of: descriptor) {
            throw CurlSockets.invalid("tlsKeyLogFile", "\(path) \(problem). Name a new file, or one of this user.")
        }
    }

    /// The reason that keys must not be written to an open file; otherwise its permissions become 0600.
    private static func problem(of descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return "cannot be examined: \(SystemError.text(of: errno))" }
        guard status.st_mode & S_IFMT == S_IFREG else { return "is a pipe or a device, not a regular file" }
        guard status.st_uid == geteuid() else { return "belongs to another user" }
        guard fchmod(descriptor, 0o600) == 0 else {
            return "stays readable for others: \(SystemError.text(of: errno))"
        }
        return nil
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
#endif
