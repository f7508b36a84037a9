public import Foundation
import MoyaTransport

/// One TCP connection that a ``LoopbackServer`` accepted.
public final class LoopbackConnection: Sendable {
    /// The number of this connection on the server; the first is 1.
    public let number: Int

    private let socket: LoopbackSocket
    private let parser = Lock(HTTPRequestParser())
    private let whenClosed: @Sendable (LoopbackConnection) -> Void

    init(number: Int, socket: LoopbackSocket, whenClosed: @escaping @Sendable (LoopbackConnection) -> Void) {
        self.number = number
        self.socket = socket
        self.whenClosed = whenClosed
    }

    /// `true` if this side has closed the connection or ended sending.
    public var isClosed: Bool { socket.isSendingEnded }

    /// Sends bytes unchanged, each call in a separate write.
    ///
    /// - Throws: ``TestSupportError/reset``, ``TestSupportError/closed``, `CancellationError`.
    public func send(_ bytes: some Sequence<UInt8> & Sendable) async throws {
        try await socket.send([UInt8](bytes))
    }

    /// Sends the UTF-8 bytes of a text unchanged.
    ///
    /// - Throws: ``TestSupportError/reset``, ``TestSupportError/closed``, `CancellationError`.
    public func send(_ text: String) async throws {
        try await socket.send([UInt8](text.utf8))
    }

    /// Sends as many of the bytes as the kernel accepts at once and returns their number; 0 if the peer has to read
    /// first.
    ///
    /// - Throws: ``TestSupportError/reset``, ``TestSupportError/closed``.
    public func sendWhatFits(_ bytes: some Sequence<UInt8>) throws -> Int {
        try socket.sendWhatFits(ArraySlice(bytes))
    }

    /// Waits for bytes and returns them without parsing HTTP; empty if the peer sends no more.
    ///
    /// Use it for bytes that a client sends before, after, or instead of a request.
    ///
    /// - Parameter count: The maximum number of bytes, at least 1; never more than 64 KiB.
    /// - Throws: ``TestSupportError/reset``, ``TestSupportError/closed``, `CancellationError`.
    public func receive(atMost count: Int = 16_384) async throws -> Data {
        if let unread = parser.withLock({ $0.takeUnread(atMost: count) }) { return Data(unread) }
        return Data(try await socket.receive(atMost: count))
    }

    /// Breaks the connection with RST: unsent bytes are dropped, and the peer's next read or write fails.
    public func reset() { shut(resetting: true) }

    /// Closes with FIN, so that the peer reads all sent bytes and then the end.
    ///
    /// While a request body is still arriving, only the sending side ends at once: the connection closes when that body
    /// has been received and discarded, since closing with unread bytes would be a reset.
    public func close() {
        socket.endSending()
        guard parser.withLock({ $0.isBetweenRequests }) else { return }
        socket.discardArrivedBytes()
        shut(resetting: false)
    }

    /// Ends sending with FIN, and reads nothing until the handler returns, so that a large body blocks.
    public func closeSending() { socket.endSending() }

    /// Reads and discards all bytes until the peer closes or breaks the connection.
    ///
    /// - Throws: ``TestSupportError/closed`` if this side closed it or the server stops.
    public func stallUntilClosed() async throws {
        do {
            while try await !socket.receive(atMost: 65_536).isEmpty {}
        } catch TestSupportError.reset {}
    }

    func shut(resetting: Bool = false) {
        if socket.close(resetting: resetting) { whenClosed(self) }
    }

    /// Closes so that the peer reads all sent bytes, even while it still sends the current request.
    func closeWhenDrained() async {
        close()
        while !socket.isClosed, let bytes = try? await nextBodyBytes(atMost: 65_536), !bytes.isEmpty {}
        socket.discardArrivedBytes()
        shut()
    }

    /// Waits for the next request's head; `nil` if the peer closes before it begins one.
    ///
    /// - Throws: ``TestSupportError``, `CancellationError`.
    func nextRequest() async throws -> LoopbackRequest? {
        while true {
            if var request = try parser.withLock({ try $0.nextHead() }) {
                request.connectionNumber = number
                return request
            }
            let bytes = try await socket.receive(atMost: 16_384)
            guard !bytes.isEmpty else {
                if parser.withLock({ $0.hasUnreadBytes }) { throw TestSupportError.ended }
                return nil
            }
            parser.withLock { $0.append(bytes) }
        }
    }

    /// Waits for body bytes and returns them; empty at the end of the body.
    ///
    /// - Throws: ``TestSupportError``, `CancellationError`.
    func nextBodyBytes(atMost count: Int) async throws -> [UInt8] {
        while true {
            if let bytes = try parser.withLock({ try $0.nextBodyBytes(atMost: count) }) { return bytes }
            let bytes = try await socket.receive(atMost: count)
            guard !bytes.isEmpty else { throw TestSupportError.ended }
            parser.withLock { $0.append(bytes) }
        }
    }

    var trailers: LoopbackFields { parser.withLock { $0.trailers } }
}
