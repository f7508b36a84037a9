#if !canImport(Darwin)
import Foundation
import MoyaTransport

/// Collects a body before it is sent.
///
/// `@unchecked`: confined to the transport's queue.
///
/// Foundation on Linux reads body streams on one queue, which all sessions of the process share, and cannot be notified
/// of later bytes: a waiting reader would block them all.
final class BodyBuffer: @unchecked Sendable {
    /// The maximum size kept in memory; the rest is in a file without a name.
    private static let mostInMemory = 1 << 20
    private static let pieceSize = 64 * 1024
    /// The number of pieces after which other exchanges may run.
    private static let piecesInARow = 16

    private var body: StatedBody
    private let exchange: URLSessionExchange
    private var memory = Data()
    private var file: FileHandle?
    private var whenGathered: ((Result<StoredBodyReader, TransportFailure>) -> Void)?

    init(_ reader: any TransportBodyReader, length: Int64?, exchange: URLSessionExchange) {
        body = StatedBody(reader, length: length)
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
            nextStep()
        } catch {
            end(
                .failure(
                    error as? TransportFailure
                        ?? .requestBody("The body cannot be kept from byte \(body.offset): \(error)", cause: error)))
        }
    }

    /// The next bytes, empty at the end; `nil` if there are none yet.
    private func nextPiece() throws -> Data? {
        var piece = Data(count: Self.pieceSize)
        let read = try piece.withUnsafeMutableBytes { try body.read(into: $0, whenReadable: nextStep) }
        return read.map { piece.prefix($0) }
    }

    /// Continues on the queue, to which the buffer is confined; the reader may call from any thread, and keep the closure.
    private var nextStep: @Sendable () -> Void {
        let queue = exchange.wire.queue
        return { [weak self] in queue.async { [weak self] in self?.step() } }
    }

    private func keep(_ piece: Data) throws {
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
        guard let file else { return end(.success(StoredBodyReader(memory))) }
        do {
            try file.seek(toOffset: 0)
        } catch {
            return end(.failure(.requestBody("The buffered body cannot be read: \(error)", cause: error)))
        }
        end(.success(StoredBodyReader(file, length: body.offset)))
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
