import Foundation
import MoyaTransport
import Synchronization

/// Reads a request body that is at hand, in memory or in a file, as often as it is asked for.
///
/// Behind a lock, since Foundation on Linux reads on a queue of its own.
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
    private let state: Mutex<State>

    init(_ data: Data) {
        length = Int64(data.count)
        state = Mutex(State(bytes: .memory(data)))
    }

    /// - Parameter length: How much of the file is the body.
    init(_ file: FileHandle, length: Int64) {
        self.length = length
        state = Mutex(State(bytes: .file(file)))
    }

    /// Opens a file.
    ///
    /// - Throws: ``TransportFailure/Kind/requestBody``, where it cannot be opened or is shorter than it was said to be.
    static func opening(_ url: URL, length: Int64) throws(TransportFailure) -> StoredBodyReader {
        let size: UInt64
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: url)
            size = try file.seekToEnd()
            try file.seek(toOffset: 0)
        } catch {
            throw .requestBody("\(url.path) cannot be opened: \(error.localizedDescription)", cause: error)
        }
        guard size >= UInt64(max(0, length)) else {
            throw .requestBody("\(url.path) has \(size) bytes, fewer than the \(length) that were to be sent.")
        }
        return StoredBodyReader(file, length: length)
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        try read(into: buffer)
    }

    /// Fills the buffer from its start, and returns how many bytes that was; 0 at the end.
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
                    "The file to upload became shorter while it was sent: it ends at byte \(state.offset) of \(length)."
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
