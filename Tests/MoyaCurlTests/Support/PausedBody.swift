#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport

/// A body that waits after its first bytes until it has more, or is ended.
final class PausedBody: TransportBodyReader {
    private struct State {
        var bytes = Data("first".utf8)
        var isEnded = false
        var waiter: (@Sendable () -> Void)?
    }

    let isPaused = Gate()
    private let state = Lock(State())

    func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? {
        let count = state.withLock { state -> Int? in
            guard state.bytes.isEmpty else {
                let count = state.bytes.copyBytes(to: buffer)
                state.bytes = state.bytes.dropFirst(count)
                return count
            }
            if state.isEnded { return 0 }
            state.waiter = whenReadable
            return nil
        }
        if count == nil { isPaused.open() }
        return count
    }

    func give(_ text: String) { change { $0.bytes += Data(text.utf8) } }

    func end() { change { $0.isEnded = true } }

    private func change(_ change: (inout sending State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            return state.waiter.take()
        }
        waiter?()
    }

    func rewind() -> Bool { false }
}
#endif
