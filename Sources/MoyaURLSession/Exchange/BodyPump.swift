#if canImport(Darwin)
import Foundation
import MoyaTransport

/// Feeds a body to `URLSession` through a pair of streams, at its pace; confined to the transport's queue.
final class BodyPump: NSObject, StreamDelegate {
    private static let pieceSize = 64 * 1024

    private let reader: any TransportBodyReader
    private let length: Int64?
    private weak var exchange: URLSessionExchange?
    private let queue: DispatchQueue
    private var output: OutputStream?
    private var buffer = [UInt8](repeating: 0, count: BodyPump.pieceSize)
    /// The part of the buffer that was read but not yet written.
    private var waiting = 0..<0
    private var count: Int64 = 0
    private var isAtEnd = false

    private init(
        _ reader: any TransportBodyReader, length: Int64?, exchange: URLSessionExchange, output: OutputStream?
    ) {
        self.reader = reader
        self.length = length
        self.exchange = exchange
        self.output = output
        queue = exchange.wire.queue
    }

    /// Makes a pump, and the stream that delivers its bytes.
    static func make(
        _ reader: any TransportBodyReader, length: Int64?, exchange: URLSessionExchange
    ) -> (BodyPump, InputStream?) {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: pieceSize, inputStream: &input, outputStream: &output)
        let pump = BodyPump(reader, length: length, exchange: exchange, output: output)
        if let output {
            output.delegate = pump
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, exchange.wire.queue)
            output.open()
        }
        return (pump, input)
    }

    func close() {
        guard let output else { return }
        self.output = nil
        output.delegate = nil
        output.close()
        CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        if event.contains(.hasSpaceAvailable) { write() }
    }

    private func write() {
        do {
            while let output, output.hasSpaceAvailable {
                if waiting.isEmpty {
                    guard !isAtEnd else { return close() }
                    guard try fill() else { return }
                    continue
                }
                let written = buffer.withUnsafeBufferPointer { bytes in
                    bytes.baseAddress.map { output.write($0 + waiting.lowerBound, maxLength: waiting.count) } ?? 0
                }
                // The other end is closed; the task reports why.
                guard written > 0 else { return close() }
                waiting = (waiting.lowerBound + written)..<waiting.upperBound
            }
        } catch {
            close()
            exchange?.end(
                error as? TransportFailure
                    ?? .requestBody("The body stream cannot be read on from byte \(count): \(error)", cause: error))
        }
    }

    /// Reads the next piece; `false` if there are no bytes yet.
    private func fill() throws -> Bool {
        let room = length.map { Int(clamping: min(Int64(Self.pieceSize), $0 - count)) } ?? Self.pieceSize
        guard room > 0 else {
            isAtEnd = true
            return true
        }
        // The pump is confined to the queue, but the reader may call from any thread.
        nonisolated(unsafe) let pump = self
        let queue = queue
        let read = try buffer.withUnsafeMutableBytes { bytes in
            try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<room])) {
                queue.async { pump.write() }
            }
        }
        guard let read else { return false }
        if read == 0, let length, count < length {
            throw TransportFailure.requestBody("The body stream ended after \(count) of \(length) bytes.")
        }
        isAtEnd = read == 0
        waiting = 0..<min(read, room)
        count += Int64(waiting.count)
        // The last piece is withheld from a server that would accept it as the end of the body.
        if count == length, let surplus = reader.surplus(over: count) { throw surplus }
        return true
    }
}
#endif
