/// The bytes of a reader, held to the length that is stated for them.
package struct StatedBody {
    /// The number of bytes; `nil` if it is unknown.
    package let length: Int64?
    /// The number of bytes that were read.
    package private(set) var offset: Int64 = 0
    private let reader: any TransportBodyReader

    /// Makes a body from the current position of a reader.
    package init(_ reader: any TransportBodyReader, length: Int64?) {
        self.reader = reader
        self.length = length
    }

    /// Fills the buffer with the next bytes and returns their number, 0 at the end; `nil` if there are none yet.
    ///
    /// - Throws: ``TransportFailure/Kind/requestBody``, also for a body of another length than stated; of a longer one, if
    ///   its next byte is there when the stated bytes are.
    package mutating func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws(TransportFailure) -> Int? {
        let room = length.map { Int(clamping: min(Int64(buffer.count), $0 - offset)) } ?? buffer.count
        guard room > 0 else { return 0 }
        do {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
            guard let read = try reader.read(into: piece, whenReadable: whenReadable) else { return nil }
            guard (0...room).contains(read) else {
                let remedy = read < 0 ? "Throw an error if the bytes cannot be read" : "The buffer has \(room) bytes"
                throw TransportFailure.requestBody("The body reader returned \(read) at byte \(offset). \(remedy).")
            }
            if read == 0, let length {
                throw TransportFailure.requestBody("The body stream ended after \(offset) of \(length) bytes.")
            }
            offset += Int64(read)
            // The last piece is withheld from a server that would accept it as the end of the body.
            var surplus: UInt8 = 0
            if offset == length, try withUnsafeMutableBytes(of: &surplus, { try reader.read(into: $0) {} ?? 0 }) > 0 {
                throw TransportFailure.requestBody(
                    "The body stream has more than the \(offset) bytes that were stated for it.")
            }
            return read
        } catch {
            if let failure = error as? TransportFailure, failure.kind == .requestBody { throw failure }
            throw .requestBody("The body stream cannot be read on from byte \(offset): \(error)", cause: error)
        }
    }

    /// Moves to the first byte, or stays where it is; `false` on failure.
    package mutating func seek(to offset: Int64) -> Bool {
        guard offset == self.offset || (offset == 0 && reader.rewind()) else { return false }
        self.offset = offset
        return true
    }
}
