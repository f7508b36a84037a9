import Foundation
import MoyaTransport

/// Moves a downloaded file to its destination.
///
/// A reader of the path finds the old or the new file, each complete, and after a failure the old one.
enum FileReplacement {
    /// Moves a file.
    ///
    /// - Parameters:
    ///   - source: The file, on any file system.
    ///   - target: The destination; a file or link there is replaced if the options allow it, anything else never.
    /// - Returns: The file at its destination; `nil` if it replaced another one, which cannot be restored.
    /// - Throws: `CocoaError` with the path and the system's error as the underlying error.
    static func move(_ source: URL, to target: URL, _ options: DownloadOptions) throws -> PlacedFile? {
        guard target.isFileURL else { throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: target]) }
        if options.contains(.createIntermediateDirectories) {
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        if source.standardizedFileURL.path == target.standardizedFileURL.path {
            return PlacedFile(at: target.path, movedFrom: source.path)
        }
        do throws(SystemError) {
            return try place(source.path, at: target.path, isReplacing: options.contains(.removePreviousFile))
        } catch {
            throw cocoaError(error.number, at: target)
        }
    }

    private static func place(
        _ source: String, at target: String, isReplacing: Bool
    ) throws(SystemError) -> PlacedFile? {
        let isThere: Bool
        do throws(RegularFile.Refusal) {
            // An item that appears there after this check is replaced only if it is a file or a dangling link.
            isThere = try RegularFile.isThere(at: target)
            if isThere {
                guard isReplacing else { throw .unopened(EEXIST) }
                synchronize(source)
            }
        } catch {
            throw SystemError(number: error.errorNumber)
        }
        do throws(SystemError) {
            let file = isThere ? nil : PlacedFile(at: target, movedFrom: source)
            try rename(source, to: target, isReplacing: isReplacing)
            return file
        } catch {
            guard error.number == EXDEV else { throw error }
            var copy = try copy(of: source, beside: target)
            let file = isThere ? nil : PlacedFile(at: target, movedFrom: copy.path)
            try rename(copy.path, to: target, isReplacing: isReplacing)
            copy.keep()
            unlink(source)
            return file
        }
    }

    /// Renames a file atomically.
    private static func rename(_ source: String, to target: String, isReplacing: Bool) throws(SystemError) {
        if !isReplacing {
            // Unlike a rename, a hard link never replaces another file.
            if link(source, target) == 0 {
                unlink(source)
                return
            }
            // Some file systems do not support hard links.
            guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw SystemError(number: errno) }
        }
        guard renameFile(source, target) == 0 else { throw SystemError(number: errno) }
    }

    /// Copies a file to the destination's file system, under an unused name, and flushes it to the disk.
    private static func copy(of source: String, beside target: String) throws(SystemError) -> PrivateFile {
        let directory = (target as NSString).deletingLastPathComponent
        let copy = try PrivateFile.make(withPrefix: "\(directory.isEmpty ? "." : directory)/.moya-download-")
        try copy.append(contentsOf: opened(source))
        try copy.synchronize()
        return copy
    }

    private static func opened(_ path: String) throws(SystemError) -> RegularFile {
        do throws(RegularFile.Refusal) {
            return try RegularFile(at: path, flags: O_NOFOLLOW)
        } catch {
            throw SystemError(number: error.errorNumber)
        }
    }

    /// Flushes a file to the disk before another one is deleted, so that a power failure cannot lose both.
    private static func synchronize(_ path: String) {
        guard let file = try? opened(path) else { return }
        _ = retryingOnInterrupt { fsync(file.descriptor) }
    }

    private static func cocoaError(_ number: Int32, at target: URL) -> CocoaError {
        let code: CocoaError.Code =
            switch number {
            case ENOENT: .fileNoSuchFile
            case EEXIST, EISDIR, ENOTEMPTY, ENOTSUP: .fileWriteFileExists
            case EACCES, EPERM: .fileWriteNoPermission
            case EROFS: .fileWriteVolumeReadOnly
            case ENOSPC, EDQUOT: .fileWriteOutOfSpace
            case ENAMETOOLONG, EINVAL: .fileWriteInvalidFileName
            default: .fileWriteUnknown
            }
        return CocoaError(
            code,
            userInfo: [
                NSFilePathErrorKey: target.path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(number)),
            ])
    }
}

/// The system's `rename`, for methods of types with a method of that name.
private func renameFile(_ source: String, _ target: String) -> Int32 { rename(source, target) }
