/// A first-in, first-out queue of waiters, each of which can leave at once.
struct WaiterQueue<Waiter: Hashable & Sendable>: Sendable {
    /// The waiters in order of arrival, including some that already left.
    private var queue: [Waiter] = []
    private var present: Set<Waiter> = []

    /// The first waiter.
    var first: Waiter? { queue.first { present.contains($0) } }

    mutating func append(_ waiter: Waiter) {
        if present.insert(waiter).inserted { queue.append(waiter) }
    }

    /// Removes a waiter; `true` if it was waiting.
    mutating func remove(_ waiter: Waiter) -> Bool {
        guard present.remove(waiter) != nil else { return false }
        // Removing half of the queue at a time gives constant amortized cost.
        if queue.count > 2 * present.count + 8 { queue.removeAll { !present.contains($0) } }
        return true
    }

    /// Removes all waiters.
    mutating func removeAll() -> [Waiter] {
        defer {
            queue = []
            present = []
        }
        return queue.filter(present.contains)
    }
}
