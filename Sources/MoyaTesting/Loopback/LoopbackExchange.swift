import Foundation
import MoyaTransport

/// One request and the answer to it, step by step.
///
/// Nothing happens that the script does not say: a script that returns without an answer closes the connection; one that
/// sends less than it announced closes it short; one that sends more leaves the rest on the wire. After a whole answer the
/// rest of the request's body is read, and the connection serves the next request.
public final class LoopbackExchange: Sendable {
    /// The request of the client.
    public let request: LoopbackRequest
    /// The connection it came on.
    public let connection: LoopbackConnection

    let framing = Lock(ResponseFraming())
    let hasSaidContinue: Lock<Bool>
    let remember: @Sendable (Data) -> Void

    init(
        request: LoopbackRequest, connection: LoopbackConnection, answersExpectations: Bool,
        remember: @escaping @Sendable (Data) -> Void
    ) {
        self.request = request
        self.connection = connection
        self.remember = remember
        hasSaidContinue = Lock(!answersExpectations || !request.expectsContinue)
    }

    /// Breaks the connection with RST; see ``LoopbackConnection/reset()``.
    public func reset() { connection.reset() }

    /// Closes the connection with FIN; see ``LoopbackConnection/close()``.
    public func close() { connection.close() }

    /// Says FIN and leaves the rest of the request unread; see ``LoopbackConnection/closeSending()``.
    public func closeSending() { connection.closeSending() }

    /// Sends nothing more and waits, as long as it takes, until the client closes or breaks the connection.
    ///
    /// - Throws: ``LoopbackError/closed`` when this side closed it, `CancellationError` when the server stops.
    public func stallUntilClosed() async throws {
        try await connection.stallUntilClosed()
    }

    /// `true` if the connection can serve another request once the handler has returned.
    var leavesConnectionUsable: Bool {
        request.keepsConnection && !connection.isClosed && framing.withLock { $0.leavesConnectionUsable }
    }
}
