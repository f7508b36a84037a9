public import Foundation

/// A small HTTP/1.1 server in the test process, on the loopback interface, with every step scripted by a test.
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
/// The handler runs once for each request. Connections are kept alive and pipelined requests are served in order,
/// unless the script or the client closes. An error thrown by a handler closes the connection and is recorded in
/// ``failures``.
///
/// All handlers of a server run on one dedicated thread, so a test may block any other thread; a handler itself must
/// not block, but `await`. Before iOS 18 and macOS 15 they run on Swift's threads. Handlers inherit the task-local
/// values of the task that made the server, so expectations in them count for the running test.
///
/// The server closes everything when it is stopped or released: keep it as long as necessary.
public final class LoopbackServer: Sendable {
    /// Handles one request.
    public typealias Handler = @Sendable (LoopbackExchange) async throws -> Void

    /// Handles a new connection, before any request is read.
    public typealias ConnectionHandler = @Sendable (LoopbackConnection) async throws -> Void

    /// The server's URL: `http://127.0.0.1:PORT` or `http://[::1]:PORT`, without a path.
    public let url: URL
    /// The port, chosen by the kernel.
    public let port: Int

    let listening: LoopbackListening
    private let serving: Task<Void, Never>

    /// Starts a server, which accepts connections when the initializer returns.
    ///
    /// - Parameters:
    ///   - configuration: The address family and other settings.
    ///   - onConnection: Runs on each new connection before a request is read; may close it, or send first.
    ///   - handler: Runs once for each request.
    /// - Throws: ``TestSupportError/system(call:code:)`` if the system has no free socket or port.
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

    /// Closes the port and every connection at once, and cancels the running handlers; a second call has no effect.
    public func stop() {
        listening.closeEverything()
        serving.cancel()
    }

    /// Stops, and waits until every handler has ended and every descriptor is closed.
    ///
    /// A handler must not call it, since it would wait for its own end.
    public func stopAndWait() async {
        stop()
        await serving.value
        // In a separate task, which waits although the caller may be cancelled.
        await Task { [listening] in _ = try? await listening.hasEnded.when { $0 } }.value
    }
}
