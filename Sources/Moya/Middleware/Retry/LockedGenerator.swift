import MoyaTransport

/// A random number generator of any kind that many threads draw from.
///
/// The generator runs without the lock, for it may make calls that draw from it. A draw that another one has overtaken is
/// made again, so that no two have the same number.
final class LockedGenerator: Sendable {
    private struct State {
        var generator: any RandomNumberGenerator & Sendable
        /// The number of draws so far.
        var draws: UInt64 = 0
    }

    private static let mostTries = 8

    private let state: Lock<State>

    init(_ generator: some RandomNumberGenerator & Sendable) { state = Lock(State(generator: generator)) }

    /// Gives a value that is made with random numbers; the closure may run more than once.
    func draw<Value>(_ body: (inout AnyGenerator) -> Value) -> Value {
        var tries = 0
        while true {
            let before = state.withLock { $0 }
            var generator = AnyGenerator(generator: before.generator)
            let value = body(&generator)
            let isFirst = state.withLock { state in
                guard state.draws == before.draws else { return false }
                swap(&state.generator, &generator.generator)
                state.draws += 1
                return true
            }
            tries += 1
            // A generator that draws from itself each time is always overtaken.
            if isFirst || tries == Self.mostTries { return value }
        }
    }

    struct AnyGenerator: RandomNumberGenerator {
        var generator: any RandomNumberGenerator & Sendable

        mutating func next() -> UInt64 { generator.next() }
    }
}
