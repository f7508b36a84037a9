/// Those who wait, in the order in which they came; anyone can leave at once.
struct WaitingLine<Waiter: Hashable & Sendable>: Sendable {
    /// Whoever came and was not cleared away yet.
    private var line: [Waiter] = []
    private var present: Set<Waiter> = []

    /// Who has waited longest.
    var first: Waiter? { line.first { present.contains($0) } }

    mutating func append(_ waiter: Waiter) {
        if present.insert(waiter).inserted { line.append(waiter) }
    }

    /// Returns whether the waiter was there.
    mutating func remove(_ waiter: Waiter) -> Bool {
        guard present.remove(waiter) != nil else { return false }
        // Clearing away half of the line at a time costs each who leaves the same, however long the line is.
        if line.count > 2 * present.count + 8 { line.removeAll { !present.contains($0) } }
        return true
    }

    /// Lets all go.
    mutating func removeAll() -> [Waiter] {
        defer {
            line = []
            present = []
        }
        return line.filter(present.contains)
    }
}
