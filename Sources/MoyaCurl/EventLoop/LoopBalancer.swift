#if os(Linux)
import MoyaTransport

/// Distributes the exchanges of a transport over its loops: each goes to the loop with the fewest active ones.
final class LoopBalancer: Sendable {
    /// The position of a loop among those of its transport.
    struct Share: Sendable {
        let balancer: LoopBalancer
        let place: Int

        /// Records the end of an exchange on the loop.
        func release() { balancer.release(place) }
    }

    private let underWay: Lock<[Int]>

    /// Makes a balancer.
    ///
    /// - Parameter count: The number of loops, at least 1.
    init(count: Int) { underWay = Lock(Array(repeating: 0, count: count)) }

    /// Counts an exchange for the loop with the fewest, the first of several, and returns the loop's position.
    ///
    /// Consecutive exchanges therefore stay on one loop, whose connections are open.
    func take() -> Int {
        underWay.withLock { counts in
            var place = 0
            for other in counts.indices where counts[other] < counts[place] { place = other }
            counts[place] += 1
            return place
        }
    }

    private func release(_ place: Int) { underWay.withLock { $0[place] -= 1 } }
}
#endif
