#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport

/// A body that waits after its first bytes until it is ended.
final class PausedBody: TransportBodyReader {
    private struct State {
        var hasGiven = false
        var isEnded = false
        var waiter: (@Sendable () -> Void)?
    }

    let isPaused = Gate()
    private let state = Lock(State())

    func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? {
        let count = state.withLock { state -> Int? in
            if state.isEnded { return 0 }
            if !state.hasGiven {
                state.hasGiven = true
                return Data("first".utf8).copyBytes(to: buffer)
            }
            state.waiter = whenReadable
            return nil
        }
        if count == nil { isPaused.open() }
        return count
    }

    func end() {
        let waiter = state.withLock { state in
            state.isEnded = true
            return state.waiter.take()
        }
        waiter?()
    }

    func rewind() -> Bool { false }
}
#endif
