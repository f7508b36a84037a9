package import Foundation

/// A server that records all received bytes without parsing them, and answers each empty line with the next answer.
package final class RawListener: Sendable {
    /// An answer without a body that closes its connection.
    package static let closing = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    private let listening: LoopbackListening
    private let state: Watched<State>

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - answers: The answers in order, over all connections; the last one repeats.
    ///   - closesAfterAnswer: `true` to close each connection after its first answer.
    /// - Throws: ``TestSupportError/system(call:code:)``
    package init(answering answers: [String] = [RawListener.closing], closesAfterAnswer: Bool = false) throws {
        let state = Watched(State(answers: answers))
        let listening = try LoopbackListening(LoopbackServer.Configuration()) { connection in
            await Self.serve(connection, state, closesAfterAnswer: closesAfterAnswer)
        } handler: { _ in
        }
        self.listening = listening
        self.state = state
        _ = listening.loop.start { await listening.serve() }
    }

    deinit { listening.closeEverything() }

    /// The port on 127.0.0.1.
    package var port: Int { listening.port }

    /// The root of the server.
    package var url: URL { listening.url }

    /// Waits until the clients have closed all connections made so far, and returns the bytes of each as text.
    ///
    /// - Throws: ``TestSupportError/timedOut(_:)`` if a client keeps its connection for 30 s, `CancellationError`.
    package func received() async throws -> [String] {
        try await withTimeLimit(.seconds(30)) { [listening] in
            .timedOut("the end of every connection; there are \(listening.record.value.activity)")
        } _: {
            try await self.acceptConnectionsInQueue()
            _ = try await self.listening.record.when { $0.activity.openConnectionCount == 0 }
        }
        return state.value.received.sorted { $0.key < $1.key }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// Waits until a further connection is accepted, which the kernel queues behind those of the clients.
    private func acceptConnectionsInQueue() async throws {
        let descriptor = try SocketDescriptor.stream(.ipv4)
        let probe = LoopbackSocket(descriptor, on: listening.loop)
        try descriptor.beginConnecting(.ipv4, port: port)
        let mark = Array(UUID().uuidString.utf8)
        try await probe.send(mark)
        let number = try await state.first { state in state.received.first { $0.value == mark }?.key }
        state.update { $0.received[number] = nil }
    }

    private struct State: Sendable {
        var answers: [String]
        /// The bytes of each connection, by its number.
        var received: [Int: [UInt8]] = [:]

        mutating func nextAnswer() -> String { answers.count > 1 ? answers.removeFirst() : answers.first ?? "" }
    }

    private static func serve(
        _ connection: LoopbackConnection, _ state: Watched<State>, closesAfterAnswer: Bool
    ) async {
        // Also for a client that sends nothing.
        state.update { $0.received[connection.number] = [] }
        var tail: [UInt8] = []
        while let bytes = try? await connection.receive(atMost: 65_536), !bytes.isEmpty {
            state.update { $0.received[connection.number, default: []] += bytes }
            for byte in bytes {
                tail = tail.suffix(3) + [byte]
                guard tail == [13, 10, 13, 10] else { continue }
                try? await connection.send(state.update { $0.nextAnswer() })
                if closesAfterAnswer { return connection.close() }
            }
        }
    }
}
