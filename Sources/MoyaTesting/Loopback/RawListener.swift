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
    private let log: Log

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
        let log = Log(answers: answers, closesAfterAnswer: closesAfterAnswer)
        self.socket = socket
        self.log = log
        Task {
            while !log.isClosed {
                // A client that left before it was accepted must not stop the server.
                guard let next = try? await socket.accept() else { continue }
                let number = log.open()
                Task {
                    await log.serve(next, number)
                    next.close()
                    log.close()
                }
            }
        }
    }

    deinit {
        log.end()
        socket.close()
    }

    /// The root of the server.
    package var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    /// Waits until the clients have closed their connections, and returns the bytes of each as text.
    package func received() async -> [String] {
        await withCheckedContinuation { log.waitForCloses($0) }
        return log.texts
    }

    private final class Log: Sendable {
        private struct State {
            var answers: [String]
            var received: [[UInt8]] = []
            var openCount = 0
            var isClosed = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        private let state: Lock<State>
        private let closesAfterAnswer: Bool

        init(answers: [String], closesAfterAnswer: Bool) {
            state = Lock(State(answers: answers))
            self.closesAfterAnswer = closesAfterAnswer
        }

        var texts: [String] { state.withLock { $0.received.map { String(decoding: $0, as: UTF8.self) } } }

        var isClosed: Bool { state.withLock { $0.isClosed } }

        func end() { state.withLock { $0.isClosed = true } }

        func open() -> Int {
            state.withLock { state in
                state.openCount += 1
                state.received.append([])
                return state.received.count - 1
            }
        }

        func close() {
            let waiters = state.withLock { state in
                state.openCount -= 1
                guard state.openCount == 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        func waitForCloses(_ waiter: CheckedContinuation<Void, Never>) {
            let isOver = state.withLock { state in
                if state.openCount > 0 { state.waiters.append(waiter) }
                return state.openCount == 0
            }
            if isOver { waiter.resume() }
        }

        func serve(_ socket: LoopbackSocket, _ number: Int) async {
            var tail: [UInt8] = []
            while let bytes = try? await socket.receive(atMost: 65_536), !bytes.isEmpty {
                state.withLock { $0.received[number] += bytes }
                for byte in bytes {
                    tail = tail.suffix(3) + [byte]
                    guard tail == [13, 10, 13, 10] else { continue }
                    try? await socket.send(Array(nextAnswer().utf8))
                    if closesAfterAnswer { return }
                }
            }
        }

        private func nextAnswer() -> String {
            state.withLock { $0.answers.count > 1 ? $0.answers.removeFirst() : $0.answers.first ?? "" }
        }
    }
}
