import Foundation
import MoyaTransport

/// The running part of a ``LoopbackServer``, separate so that its tasks do not retain the server.
final class LoopbackListening: Sendable {
    let loop: SocketLoop
    let port: Int
    let url: URL
    let record = Watched(LoopbackRecord())
    let hasEnded: Watched<Bool>

    private let configuration: LoopbackServer.Configuration
    private let onConnection: LoopbackServer.ConnectionHandler?
    private let handler: LoopbackServer.Handler
    private let listener: LoopbackSocket
    /// The open connections by number; `nil` once the server has stopped.
    private let connections = Lock<[Int: LoopbackConnection]?>([:])

    init(
        _ configuration: LoopbackServer.Configuration,
        onConnection: LoopbackServer.ConnectionHandler?,
        handler: @escaping LoopbackServer.Handler
    ) throws {
        self.configuration = configuration
        self.onConnection = onConnection
        self.handler = handler
        let path = configuration.unixSocketPath
        let descriptor =
            try path == nil ? SocketDescriptor.stream(configuration.addressFamily) : .stream(domain: AF_UNIX)
        let hasEnded = Watched(false)
        var isBoundToPath = false
        do {
            // Connections inherit the buffers of the listening socket.
            if let size = configuration.socketBuffer {
                descriptor.set(SOL_SOCKET, SO_RCVBUF, Int32(clamping: size))
                descriptor.set(SOL_SOCKET, SO_SNDBUF, Int32(clamping: size))
            }
            if let path {
                try descriptor.bindToPath(path)
                isBoundToPath = true
                port = 0
            } else {
                port = try descriptor.bindToLoopback(configuration.addressFamily)
            }
            try descriptor.startListening()
            let host = configuration.addressFamily == .ipv4 ? "127.0.0.1" : "[::1]"
            guard let url = URL(string: path == nil ? "http://\(host):\(port)" : "http://localhost") else {
                throw TestSupportError.system(call: "getsockname", code: EINVAL)
            }
            self.url = url
            loop = try SocketLoop { hasEnded.update { $0 = true } }
        } catch {
            descriptor.shut()
            if isBoundToPath, let path { unlink(path) }
            throw error
        }
        self.hasEnded = hasEnded
        listener = LoopbackSocket(descriptor, on: loop)
    }

    var openConnections: [LoopbackConnection] {
        connections.withLock { connections in
            (connections ?? [:]).values.sorted { $0.number < $1.number }
        }
    }

    func closeEverything() {
        // Stop first, then close ports and connections: errors caused by the stop are not failures.
        let left = connections.withLock { connections in
            defer { connections = nil }
            return connections ?? [:]
        }
        if listener.close(), let path = configuration.unixSocketPath { unlink(path) }
        for connection in left.values { connection.shut() }
    }

    /// Accepts and serves connections until the server stops.
    func serve() async {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            await withDiscardingTaskGroup { group in
                while let connection = await nextConnection() { group.addTask { await self.serve(connection) } }
                group.cancelAll()
            }
        } else {
            // The group keeps some memory per connection until the server stops.
            await withTaskGroup(of: Void.self) { group in
                while let connection = await nextConnection() { group.addTask { await self.serve(connection) } }
                group.cancelAll()
            }
        }
        loop.finish()
    }

    private func nextConnection() async -> LoopbackConnection? {
        guard let socket = await nextSocket() else { return nil }
        return register(socket)
    }

    private func nextSocket() async -> LoopbackSocket? {
        while true {
            do {
                return try await listener.accept()
            } catch TestSupportError.system(let call, let code) {
                let failure = TestSupportError.system(call: call, code: code)
                record.update { record in
                    if record.failures.last as? TestSupportError != failure { record.failures.append(failure) }
                }
                // Probably no descriptor is free; the connection stays in the queue until one is.
                guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return nil }
            } catch {
                return nil
            }
        }
    }

    private func register(_ socket: LoopbackSocket) -> LoopbackConnection? {
        let number = record.update { record in
            record.activity.connectionCount += 1
            record.activity.openConnectionCount += 1
            return record.activity.connectionCount
        }
        let connection = LoopbackConnection(number: number, socket: socket) { [weak self] connection in
            self?.forget(connection)
        }
        let isAlive = connections.withLock { connections in
            connections?[number] = connection
            return connections != nil
        }
        guard isAlive else {
            connection.shut()
            return nil
        }
        return connection
    }

    private func forget(_ connection: LoopbackConnection) {
        connections.withLock { _ = $0?.removeValue(forKey: connection.number) }
        record.update { $0.activity.openConnectionCount -= 1 }
    }

    private func serve(_ connection: LoopbackConnection) async {
        do {
            try await onConnection?(connection)
            while !connection.isClosed, let request = try await nextRequest(on: connection) {
                let isReusable = await handle(request, on: connection)
                guard isReusable else { break }
            }
        } catch {
            await record(error, on: connection)
        }
        await connection.closeWhenDrained()
    }

    /// The next request; `nil` if the connection is over, which is no failure if nothing was expected on it.
    private func nextRequest(on connection: LoopbackConnection) async throws -> LoopbackRequest? {
        do {
            return try await connection.nextRequest()
        } catch TestSupportError.closed, TestSupportError.reset {
            return nil
        }
    }

    /// Runs the script for a request and returns whether the connection can serve another.
    private func handle(_ request: LoopbackRequest, on connection: LoopbackConnection) async -> Bool {
        let index = record.update { record in
            record.activity.requestCount += 1
            record.requests.append(request)
            return record.requests.count - 1
        }
        // The failure is recorded before the count, so that it is visible with the count.
        defer { record.update { $0.activity.handledCount += 1 } }
        let exchange = LoopbackExchange(
            request: request, connection: connection, answersExpectations: configuration.answersExpectations,
            remember: { [record] body in record.update { $0.requests[index].body = body } })
        do {
            try await handler(exchange)
        } catch {
            await record(error, on: connection)
            return false
        }
        guard exchange.leavesConnectionUsable else { return false }
        do {
            try await exchange.discardBody()
            return true
        } catch {
            // A client need not send the rest of a body after the response.
            if case TestSupportError.malformedRequest = error { await record(error, on: connection) }
            return false
        }
    }

    /// Records an error of a script, and responds to a client that violated the protocol.
    private func record(_ error: any Error, on connection: LoopbackConnection) async {
        // A server that stops ends its scripts this way, which is not a failure.
        if connections.withLock({ $0 == nil }) { return }
        record.update { $0.failures.append(error) }
        guard case TestSupportError.malformedRequest = error else { return }
        try? await connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
}
