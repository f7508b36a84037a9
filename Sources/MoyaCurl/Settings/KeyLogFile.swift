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

    private let file: URL
    /// Open for appending during the lifetime of the value; `nil` until the file could be opened.
    private let opened = Lock<Int32?>(nil)

    /// The descriptor; negative if the file cannot be opened now, so that the keys of a connection are not written.
    var descriptor: Int32 { (try? open()) ?? -1 }

    /// Opens a file, or makes one; only its owner can read it from then on.
    ///
    /// - Throws: ``TransportFailure`` in a release build, if the file cannot be written, and if it is a pipe, a device
    ///   or another user's file; not for an error that may pass, after which the next connection opens it.
    init(at file: URL, isDebugBuild: Bool = KeyLogFile.isDebugBuild) throws(TransportFailure) {
        self.file = file
        guard isDebugBuild else {
            throw .invalid(
                "tlsKeyLogFile", "keys are written in debug builds only. Build with -c debug, or leave it out.")
        }
        do throws(TransportFailure) { _ = try open() } catch {
            guard error.mayPass else { throw error }
        }
    }

    private func open() throws(TransportFailure) -> Int32 {
        try opened.withLock { opened throws(TransportFailure) in
            if let opened { return opened }
            let log: RegularFile
            do throws(RegularFile.Refusal) {
                log = try RegularFile(
                    at: try RegularFile.path(of: file), flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
            } catch {
                throw .invalid("tlsKeyLogFile", "\(file.path) \(error).", cause: error)
            }
            guard log.isOwn, fchmod(log.descriptor, 0o600) == 0 else {
                throw .invalid(
                    "tlsKeyLogFile",
                    "\(file.path) belongs to another user, or stays readable for others. Name a new file.")
            }
            let descriptor = log.release()
            opened = descriptor
            return descriptor
        }
    }

    deinit { opened.withLock { descriptor in _ = descriptor.map { close($0) } } }
}
#endif
