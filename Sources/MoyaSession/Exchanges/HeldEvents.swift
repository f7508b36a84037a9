import Foundation
import MoyaTransport

/// A queue of events that costs a constant time for each.
///
/// It joins chunks, up to 64 KiB, and keeps only the last of successive counts of sent bytes.
struct HeldEvents {
    /// The next events, in reverse order: removing the first element of an array would move all others.
    private var next: [HeldEvent] = []
    /// The events after those, in order.
    private var later: [HeldEvent] = []
    /// The bytes after those.
    private var chunk = Data()

    private static let longestChunk = 64 * 1024

    init(_ events: [HeldEvent] = []) { next = events.reversed() }

    var isEmpty: Bool { next.isEmpty && later.isEmpty && chunk.isEmpty }

    /// The end, once it has been appended.
    var end: TransportEnd? {
        guard case .end(let end)? = later.last ?? next.first else { return nil }
        return end
    }

    mutating func append(_ event: TransportEvent) {
        guard case .chunk(let bytes) = event else {
            closeChunk()
            if case .sent = event, case .sent? = later.last { later.removeLast() }
            return later.append(HeldEvent(event))
        }
        if chunk.count + bytes.count > Self.longestChunk { closeChunk() }
        chunk.append(contentsOf: bytes)
    }

    private mutating func closeChunk() {
        guard !chunk.isEmpty else { return }
        later.append(.chunk(chunk))
        chunk = Data()
    }

    mutating func popFirst() -> HeldEvent? {
        if next.isEmpty {
            closeChunk()
            next = later.reversed()
            later = []
        }
        return next.popLast()
    }
}
