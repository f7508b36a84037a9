import MoyaTransport

/// A random number generator that many threads can use.
///
/// The generator runs without the lock, because it may make calls that use it. A draw that was overtaken by another one
/// is repeated, so that two draws never have the same number.
final class LockedGenerator: Sendable {
    private struct State {
        var generator: any RandomNumberGenerator & Sendable
        /// The number of draws so far.
        var draws: UInt64 = 0
    }

    private static let mostTries = 8

    private let state: Lock<State>

    init(_ generator: some RandomNumberGenerator & Sendable) { state = Lock(State(generator: generator)) }

    /// Returns a value made with random numbers; the closure may run more than once.
    func draw<Value>(_ body: (inout any RandomNumberGenerator & Sendable) -> Value) -> Value {
        var tries = 0
        while true {
            let before = state.withLock { $0 }
            var generator = before.generator
            let value = body(&generator)
            let isFirst = state.withLock { state in
                guard state.draws == before.draws else { return false }
                swap(&state.generator, &generator)
                state.draws += 1
                return true
            }
            tries += 1
            // A generator that draws from itself each time is always overtaken.
            if isFirst || tries == Self.mostTries { return value }
        }
    }
}
