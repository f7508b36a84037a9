/// The events of a simulation, in the order of time and, at the same time, of arrival.
struct EventQueue<Event> {
    private struct Entry {
        let time: Duration
        let number: Int
        let event: Event

        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : number < other.number
        }
    }

    /// A binary heap: no entry precedes the one at half its index.
    private var heap: [Entry] = []
    private var count = 0

    mutating func add(_ event: Event, at time: Duration) {
        heap.append(Entry(time: time, number: count, event: event))
        count += 1
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (time: Duration, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return (first.time, first.event) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
            guard least != parent else { return (first.time, first.event) }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
