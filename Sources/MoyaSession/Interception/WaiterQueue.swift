/// Those who wait, in the order in which they came; anyone can leave at once.
struct WaiterQueue<Waiter: Hashable & Sendable>: Sendable {
    /// The waiters in order of arrival, including those that were released and not yet removed.
    private var queue: [Waiter] = []
    private var present: Set<Waiter> = []

    /// The waiter that has waited longest.
    var first: Waiter? { queue.first { present.contains($0) } }

    mutating func append(_ waiter: Waiter) {
        if present.insert(waiter).inserted { queue.append(waiter) }
    }

    /// Returns whether the waiter was there.
    mutating func remove(_ waiter: Waiter) -> Bool {
        guard present.remove(waiter) != nil else { return false }
        // Clearing away half of the queue at a time costs each who leaves the same, however long the queue is.
        if queue.count > 2 * present.count + 8 { queue.removeAll { !present.contains($0) } }
        return true
    }

    /// Lets all go.
    mutating func removeAll() -> [Waiter] {
        defer {
            queue = []
            present = []
        }
        return queue.filter(present.contains)
    }
}
