#if !canImport(Darwin)
import Foundation
import MoyaTransport

/// Collects a body before it is sent; confined to the transport's queue.
///
/// Foundation on Linux reads body streams on one queue, which all sessions of the process share, and cannot be notified
/// of later bytes: a waiting reader would block them all.
final class BodyBuffer {
    /// The maximum size kept in memory; the rest is in a file without a name.
    private static let mostInMemory = 1 << 20
    private static let pieceSize = 64 * 1024
    /// The number of pieces after which other exchanges may run.
    private static let piecesInARow = 16

    private let reader: any TransportBodyReader
    private let length: Int64?
    private let exchange: URLSessionExchange
    private var memory = Data()
    private var file: FileHandle?
    private var count: Int64 = 0
    private var whenGathered: ((Result<StoredBodyReader, TransportFailure>) -> Void)?

    init(_ reader: any TransportBodyReader, length: Int64?, exchange: URLSessionExchange) {
        self.reader = reader
        self.length = length
        self.exchange = exchange
    }

    func gather(_ whenGathered: @escaping (Result<StoredBodyReader, TransportFailure>) -> Void) {
        self.whenGathered = whenGathered
        step()
    }

    /// Stops collecting, without a callback.
    func close() { whenGathered = nil }

    private func step() {
        guard whenGathered != nil else { return }
        do {
            for _ in 0..<Self.piecesInARow {
                guard let piece = try nextPiece() else { return }
                guard !piece.isEmpty else { return finish() }
                try keep(piece)
            }
            goOn()
        } catch let failure as TransportFailure where failure.kind == .requestBody {
            end(.failure(failure))
        } catch {
            end(.failure(.requestBody("The body stream cannot be read on from byte \(count): \(error)", cause: error)))
        }
    }

    /// The next bytes, empty at the end; `nil` if there are none yet.
    private func nextPiece() throws -> Data? {
        let room = length.map { Int(clamping: min(Int64(Self.pieceSize), $0 - count)) } ?? Self.pieceSize
        guard room > 0 else { return Data() }
        var piece = Data(count: room)
        // The buffer is confined to the queue, but the reader may call from any thread.
        nonisolated(unsafe) let spool = self
        let queue = exchange.wire.queue
        let read = try piece.withUnsafeMutableBytes { buffer in
            try reader.read(into: buffer) { queue.async { spool.step() } }
        }
        guard let read else { return nil }
        return piece.prefix(min(read, room))
    }

    private func goOn() {
        nonisolated(unsafe) let spool = self
        exchange.wire.queue.async { spool.step() }
    }

    private func keep(_ piece: Data) throws {
        count += Int64(piece.count)
        exchange.recordActivity()
        if file == nil, memory.count + piece.count <= Self.mostInMemory { return memory.append(piece) }
        let file = try self.file ?? namelessFile()
        self.file = file
        try file.write(contentsOf: piece)
    }

    /// A file that is deleted with its handle, containing the bytes collected so far.
    private func namelessFile() throws -> FileHandle {
        let prefix = FileManager.default.temporaryDirectory.path + "/moya-body-"
        let file: FileHandle
        do throws(SystemError) {
            let descriptor = try PrivateFile.make(withPrefix: prefix).releaseWithoutName()
            file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        } catch {
            throw TransportFailure.requestBody("No file for the body can be made at \(prefix)*: \(error).")
        }
        try file.write(contentsOf: memory)
        memory = Data()
        return file
    }

    private func finish() {
        if let length, count < length {
            return end(.failure(.requestBody("The body stream ended after \(count) of \(length) bytes.")))
        }
        if let length, let surplus = reader.surplus(over: length) { return end(.failure(surplus)) }
        guard let file else { return end(.success(StoredBodyReader(memory))) }
        do {
            try file.seek(toOffset: 0)
        } catch {
            return end(.failure(.requestBody("The buffered body cannot be read: \(error)", cause: error)))
        }
        end(.success(StoredBodyReader(file, length: count)))
    }

    private func end(_ result: Result<StoredBodyReader, TransportFailure>) {
        let whenGathered = whenGathered
        self.whenGathered = nil
        file = nil
        memory = Data()
        whenGathered?(result)
    }
}
#endif
