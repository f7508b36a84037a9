import Foundation

extension FileHandle {
    /// Reads what has come, or waits for it; empty at the end of the file.
    ///
    /// A read that a signal interrupts is made again: Foundation's own reading ends the process for it.
    func nextPiece() throws -> Data {
        var piece = Data(count: 65536)
        while true {
            let count = piece.withUnsafeMutableBytes { read(fileDescriptor, $0.baseAddress, $0.count) }
            if count >= 0 { return piece.prefix(count) }
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }

    /// Reads to the end of the file.
    func rest() throws -> Data {
        var rest = Data()
        while case let piece = try nextPiece(), !piece.isEmpty { rest.append(piece) }
        return rest
    }
}
