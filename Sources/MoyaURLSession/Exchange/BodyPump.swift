#if canImport(Darwin)
import Foundation
import MoyaTransport

/// Feeds a body to `URLSession` through a pair of streams, at its pace.
///
/// `@unchecked`: confined to the transport's queue.
final class BodyPump: NSObject, StreamDelegate, @unchecked Sendable {
    private static let pieceSize = 64 * 1024

    private var body: StatedBody
    private weak var exchange: URLSessionExchange?
    private let queue: DispatchQueue
    private var output: OutputStream?
    private var buffer = [UInt8](repeating: 0, count: BodyPump.pieceSize)
    /// The part of the buffer that was read but not yet written.
    private var waiting = 0..<0
    private var isAtEnd = false
    private var isStopped = false

    private init(
        _ reader: any TransportBodyReader, length: Int64?, exchange: URLSessionExchange, output: OutputStream?
    ) {
        body = StatedBody(reader, length: length)
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

    /// Writes nothing more, and leaves the stream open: its end would be that of a complete body.
    func stop() {
        isStopped = true
        output?.delegate = nil
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
        do throws(TransportFailure) {
            while let output, !isStopped, output.hasSpaceAvailable {
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
            stop()
            exchange?.end(error)
        }
    }

    /// Reads the next piece; `false` if there are no bytes yet.
    private func fill() throws(TransportFailure) -> Bool {
        // The reader may call from any thread, and keep the closure.
        let queue = queue
        let write: @Sendable () -> Void = { [weak self] in queue.async { [weak self] in self?.write() } }
        let read = try buffer.withUnsafeMutableBufferPointer { bytes throws(TransportFailure) in
            try body.read(into: UnsafeMutableRawBufferPointer(bytes), whenReadable: write)
        }
        guard let read else { return false }
        isAtEnd = read == 0
        waiting = 0..<read
        return true
    }
}
#endif
