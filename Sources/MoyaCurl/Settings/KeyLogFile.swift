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
            throw .invalid(
                "tlsKeyLogFile", "keys are written in debug builds only. Build with -c debug, or leave it out.")
        }
        let log: RegularFile
        do throws(RegularFile.Refusal) {
            log = try RegularFile(
                at: try RegularFile.path(of: file), flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
        } catch {
            throw .invalid("tlsKeyLogFile", "\(file.path) \(error).")
        }
        guard log.isOwn, fchmod(log.descriptor, 0o600) == 0 else {
            throw .invalid(
                "tlsKeyLogFile", "\(file.path) belongs to another user, or stays readable for others. Name a new file.")
        }
        descriptor = log.release()
    }

    deinit { close(descriptor) }
}
#endif
