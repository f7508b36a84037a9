import Foundation

/// A folder for sockets, short enough for their paths, removed with the value.
final class SocketFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/moya-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a socket in the folder.
    subscript(name: String) -> String { "\(path)/\(name)" }
}
