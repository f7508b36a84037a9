import Foundation
import MoyaTransport

/// Reads a request body from memory or from a file, any number of times.
///
/// It has a lock, since Foundation on Linux reads on a separate queue.
final class StoredBodyReader: TransportBodyReader {
    private enum Bytes {
        case memory(Data)
        case file(FileHandle)
    }

    private struct State {
        let bytes: Bytes
        var offset: Int64 = 0
    }

    let length: Int64
    private let name: String
    private let state: Lock<State>

    init(_ data: Data) {
        name = "The body"
        length = Int64(data.count)
        state = Lock(State(bytes: .memory(data)))
    }

    /// - Parameter length: The number of bytes of the file in the body.
    /// - Parameter name: The name of the file in errors.
    init(_ file: FileHandle, length: Int64, name: String = "The gathered body") {
        self.length = length
        self.name = name
        state = Lock(State(bytes: .file(file)))
    }

    /// Opens a file.
    ///
    /// - Throws: ``TransportFailure/Kind/requestBody``, if it cannot be opened or is shorter than stated.
    static func opening(_ url: URL, length: Int64) throws(TransportFailure) -> StoredBodyReader {
        let (descriptor, shortfall): (Int32, String?)
        do throws(RegularFile.Refusal) {
            let file = try RegularFile(at: url.path)
            shortfall = file.length < length ? file.shortfall(at: url.path, of: length) : nil
            descriptor = file.release()
        } catch {
            throw .requestBody("\(url.path) \(error).")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        if let shortfall { throw .requestBody(shortfall) }
        return StoredBodyReader(handle, length: length, name: url.path)
    }

    /// `true` if every byte was read.
    var isAtEnd: Bool { state.withLock { $0.offset >= length } }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        try read(into: buffer)
    }

    /// Fills the buffer from its start, and returns the number of bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try state.withLock { state in
            let wanted = Int(clamping: min(Int64(buffer.count), length - state.offset))
            guard wanted > 0 else { return 0 }
            let count: Int
            switch state.bytes {
            case .memory(let data):
                let start = data.startIndex + Int(state.offset)
                count = data[start..<(start + wanted)].copyBytes(to: buffer)
            case .file(let file):
                count = (try file.read(upToCount: wanted) ?? Data()).copyBytes(to: buffer)
            }
            guard count > 0 else {
                throw TransportFailure.requestBody(
                    "\(name) became shorter while it was sent: it ends at byte \(state.offset) of \(length)."
                )
            }
            state.offset += Int64(count)
            return count
        }
    }

    func rewind() -> Bool {
        state.withLock { state in
            state.offset = 0
            guard case .file(let file) = state.bytes else { return true }
            return (try? file.seek(toOffset: 0)) != nil
        }
    }
}
