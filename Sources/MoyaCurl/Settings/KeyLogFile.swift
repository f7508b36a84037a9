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

    /// Opens a file, or makes one that only its owner can read.
    ///
    /// - Throws: ``TransportFailure`` in a release build, and if the file cannot be written.
    init(at file: URL, isDebugBuild: Bool = KeyLogFile.isDebugBuild) throws(TransportFailure) {
        guard isDebugBuild else {
            throw CurlSockets.invalid(
                "tlsKeyLogFile", "keys are written in debug builds only. Build with -c debug, or leave it out.")
        }
        let path = file.path
        guard file.isFileURL, !path.utf8.contains(0) else {
            throw CurlSockets.invalid("tlsKeyLogFile", "\(file.absoluteString.debugDescription) is no file.")
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            throw CurlSockets.invalid("tlsKeyLogFile", "\(path) cannot be written: \(SystemError.text(of: errno)).")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
#endif
