public import Foundation

/// A small HTTP/1.1 server in the test's own process, on the loopback interface, whose every step a test scripts.
///
/// ```swift
/// let server = try await LoopbackServer { exchange in
///     try await exchange.send(head: 200, ["Content-Length": "100"])
///     try await exchange.send("half")
///     exchange.reset()
/// }
/// // ... call server.url, and see what the code under test makes of it ...
/// ```
///
/// The handler runs once for each request. Connections are kept alive and pipelined requests are served in order, unless
/// the script or the client closes. An error that a handler throws closes the connection and is kept in ``failures``.
///
/// All handlers of a server run on one dedicated thread, so that a test may block any other; a handler itself must not
/// block, but `await`. Before iOS 18 and macOS 15 they run on Swift's threads. Handlers inherit the task-local values of
/// the task that made the server, so that expectations in them count for the test that runs.
///
/// The server closes everything when it is stopped or dropped: keep it as long as it is needed.
public final class LoopbackServer: Sendable {
    /// Plays the server's part for one request.
    public typealias Handler = @Sendable (LoopbackExchange) async throws -> Void

    /// Plays the server's part on a new connection, before any request is read.
    public typealias ConnectionHandler = @Sendable (LoopbackConnection) async throws -> Void

    /// The URL that it listens at: `http://127.0.0.1:PORT` or `http://[::1]:PORT`, with no path.
    public let url: URL
    /// The port, chosen by the kernel.
    public let port: Int

    let listening: LoopbackListening
    private let serving: Task<Void, Never>

    /// Starts a server; it takes connections from the moment this returns.
    ///
    /// - Parameters:
    ///   - configuration: The address family and the few other settings.
    ///   - onConnection: Runs on each new connection before a request is read; may close it, or speak first.
    ///   - handler: Runs once for each request.
    /// - Throws: ``LoopbackError/system(call:code:)`` when the system has no socket or port left.
    public init(
        _ configuration: Configuration = Configuration(),
        onConnection: ConnectionHandler? = nil,
        handler: @escaping Handler
    ) async throws {
        let listening = try LoopbackListening(configuration, onConnection: onConnection, handler: handler)
        self.listening = listening
        port = listening.port
        url = listening.url
        serving = listening.loop.start { await listening.serve() }
    }

    deinit { stop() }

    /// Closes the port and every connection at once, and cancels the handlers that run; does nothing the second time.
    public func stop() {
        listening.closeEverything()
        serving.cancel()
    }

    /// Stops, and waits until every handler has ended and every descriptor is given back.
    public func stopAndWait() async {
        stop()
        await serving.value
        _ = try? await listening.hasEnded.when { $0 }
    }
}
