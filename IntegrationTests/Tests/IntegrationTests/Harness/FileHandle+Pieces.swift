import Foundation

extension FileHandle {
    /// Reads what has come, or waits for it; empty at the end of the file.
    ///
    /// A read that a signal interrupts is made again: Foundation's own reading ends the process for it.
    func nextPiece() throws -> Data {
        var piece = Data(count: 65536)
        while true {
            let count = piece.withUnsafeMutableBytes { readDescriptor(fileDescriptor, $0) }
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

/// The system's `read`, out of reach of the methods of that name.
private func readDescriptor(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
