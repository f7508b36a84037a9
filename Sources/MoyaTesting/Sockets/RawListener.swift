package import Foundation
import MoyaTransport

/// A server that keeps every byte it reads and parses none of them: it answers each empty line with the next answer.
package final class RawListener: Sendable {
    /// An answer without a body that ends its connection.
    package static let closing = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    private static let loop = Result { try SocketLoop {} }

    /// The port on 127.0.0.1.
    package let port: Int
    private let socket: LoopbackSocket
    private let log: Log

    /// Starts listening.
    ///
    /// - Parameter answers: Sent in this order, whatever the connection; the last one again and again.
    /// - Throws: ``LoopbackError/system(call:code:)``
    package init(answering answers: [String] = [RawListener.closing]) throws {
        let descriptor = try SocketDescriptor.stream(.ipv4)
        let socket = LoopbackSocket(descriptor, on: try Self.loop.get())
        port = try descriptor.bindToLoopback(.ipv4)
        try descriptor.startListening()
        let log = Log(answers: answers)
        self.socket = socket
        self.log = log
        Task {
            while !log.isClosed {
                // A client that has left before it was accepted is no reason to accept no other.
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

    /// Waits until the clients have closed their connections, and returns what each has sent.
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

        init(answers: [String]) { state = Lock(State(answers: answers)) }

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
                    if tail == [13, 10, 13, 10] { try? await socket.send(Array(nextAnswer().utf8)) }
                }
            }
        }

        private func nextAnswer() -> String {
            state.withLock { $0.answers.count > 1 ? $0.answers.removeFirst() : $0.answers.first ?? "" }
        }
    }
}
