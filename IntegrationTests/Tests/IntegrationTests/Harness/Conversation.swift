import Foundation
import Synchronization
import Testing

/// A program that obeys lines and answers with lines; it ends with this object.
final class Conversation: Sendable {
    private let process: ChildProcess
    private let lines = Lines()

    /// Starts a program; its name is looked up in the path.
    init(_ command: [String]) throws {
        process = try ChildProcess(command)
        Thread.detachNewThread { [process, lines] in
            var rest = Data()
            while let piece = try? process.nextPiece(), !piece.isEmpty {
                rest.append(piece)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.add(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            lines.close()
        }
    }

    deinit {
        process.endInput()
        process.wait()
    }

    /// Sends the program a line.
    func send(_ line: String) throws { try process.write("\(line)\n") }

    /// Sends the program a line and waits for its answer, the next line that is not JSON.
    func request(_ line: String) async throws -> String {
        try send(line)
        return try await answer { !$0.hasPrefix("{") }
    }

    /// Takes the first line that satisfies a condition, when there is one.
    func answer(where holds: @escaping @Sendable (String) -> Bool) async throws -> String {
        try #require(await lines.next(where: holds), "the program has ended")
    }

    /// The lines that arrived unrequested, and the waiters for one.
    private final class Lines: Sendable {
        private struct State {
            var lines: [String] = []
            var waiting: [(holds: @Sendable (String) -> Bool, continuation: CheckedContinuation<String?, Never>)] = []
            var isClosed = false
        }
        private let state = Mutex(State())

        func add(_ line: String) {
            let waiter = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.holds(line) }) else {
                    state.lines.append(line)
                    return CheckedContinuation<String?, Never>?.none
                }
                return state.waiting.remove(at: index).continuation
            }
            waiter?.resume(returning: line)
        }

        func close() {
            let waiting = state.withLock { state in
                state.isClosed = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.continuation.resume(returning: nil) }
        }

        func next(where holds: @escaping @Sendable (String) -> Bool) async -> String? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let (isKnown, line) = state.withLock { state -> (Bool, String?) in
                        if let index = state.lines.firstIndex(where: holds) {
                            return (true, state.lines.remove(at: index))
                        }
                        if state.isClosed { return (true, nil) }
                        state.waiting.append((holds, continuation))
                        return (false, nil)
                    }
                    if isKnown { continuation.resume(returning: line) }
                }
            } onCancel: {
                // A test that took too long is over with all of this.
                close()
            }
        }
    }
}
