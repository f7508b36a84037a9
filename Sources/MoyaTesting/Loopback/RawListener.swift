package import Foundation
import MoyaTransport

/// A server that records all received bytes without parsing them, and answers each empty line with the next answer.
package final class RawListener: Sendable {
    /// An answer without a body that closes its connection.
    package static let closing = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    private static let loop = Result { try SocketLoop {} }

    /// The port on 127.0.0.1.
    package let port: Int
    private let socket: LoopbackSocket
    private let state: Watched<State>

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - answers: The answers in order, over all connections; the last one repeats.
    ///   - closesAfterAnswer: `true` to close each connection after its first answer.
    /// - Throws: ``LoopbackError/system(call:code:)``
    package init(answering answers: [String] = [RawListener.closing], closesAfterAnswer: Bool = false) throws {
        let descriptor = try SocketDescriptor.stream(.ipv4)
        let socket = LoopbackSocket(descriptor, on: try Self.loop.get())
        port = try descriptor.bindToLoopback(.ipv4)
        try descriptor.startListening()
        let state = Watched(State(answers: answers))
        self.socket = socket
        self.state = state
        Task {
            while !state.value.isClosed {
                // A client that left before it was accepted must not stop the server.
                guard let next = try? await socket.accept() else { continue }
                let number = state.update { $0.open() }
                Task {
                    await Self.serve(next, number, state, closesAfterAnswer: closesAfterAnswer)
                    next.close()
                    state.update { $0.openCount -= 1 }
                }
            }
        }
    }

    deinit {
        state.update { $0.isClosed = true }
        socket.close()
    }

    /// The root of the server.
    package var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    /// Waits until the clients have closed their connections, and returns the bytes of each as text.
    package func received() async -> [String] {
        let closed = try? await state.when { $0.openCount == 0 }
        return closed?.received.map { String(decoding: $0, as: UTF8.self) } ?? []
    }

    private struct State: Sendable {
        var answers: [String]
        var received: [[UInt8]] = []
        var openCount = 0
        var isClosed = false

        mutating func open() -> Int {
            openCount += 1
            received.append([])
            return received.count - 1
        }

        mutating func nextAnswer() -> String { answers.count > 1 ? answers.removeFirst() : answers.first ?? "" }
    }

    private static func serve(
        _ socket: LoopbackSocket, _ number: Int, _ state: Watched<State>, closesAfterAnswer: Bool
    ) async {
        var tail: [UInt8] = []
        while let bytes = try? await socket.receive(atMost: 65_536), !bytes.isEmpty {
            state.update { $0.received[number] += bytes }
            for byte in bytes {
                tail = tail.suffix(3) + [byte]
                guard tail == [13, 10, 13, 10] else { continue }
                try? await socket.send(Array(state.update { $0.nextAnswer() }.utf8))
                if closesAfterAnswer { return }
            }
        }
    }
}
