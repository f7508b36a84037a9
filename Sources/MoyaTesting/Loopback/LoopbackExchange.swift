import Foundation
import MoyaTransport

/// One request and its response, step by step.
///
/// The server does only what the script says. A script that returns without a response closes the connection; one that
/// sends less than it announced closes it early; one that sends more leaves the surplus on the connection. After a
/// complete response, the server reads the rest of the request's body and serves the next request.
public final class LoopbackExchange: Sendable {
    /// The request of the client.
    public let request: LoopbackRequest
    /// The connection of the request.
    public let connection: LoopbackConnection

    let framing: Lock<ResponseFraming>
    let remember: @Sendable (Data) -> Void

    init(
        request: LoopbackRequest, connection: LoopbackConnection, answersExpectations: Bool,
        remember: @escaping @Sendable (Data) -> Void
    ) {
        self.request = request
        self.connection = connection
        self.remember = remember
        framing = Lock(ResponseFraming(awaitsContinue: answersExpectations && request.expectsContinue))
    }

    /// Breaks the connection with RST; see ``LoopbackConnection/reset()``.
    public func reset() { connection.reset() }

    /// Closes the connection with FIN; see ``LoopbackConnection/close()``.
    public func close() { connection.close() }

    /// Ends sending with FIN and leaves the rest of the request unread; see ``LoopbackConnection/closeSending()``.
    public func closeSending() { connection.closeSending() }

    /// Sends nothing more and waits until the client closes or breaks the connection.
    ///
    /// - Throws: ``TestSupportError/closed`` if this side closed it or the server stops.
    public func stallUntilClosed() async throws {
        try await connection.stallUntilClosed()
    }

    /// `true` if the connection can serve another request after the handler has returned.
    var leavesConnectionUsable: Bool {
        request.keepsConnection && !connection.isClosed && framing.withLock { $0.leavesConnectionUsable }
    }
}
