import Foundation
import MoyaTransport

/// The bodies that were read last from files, up to a number of bytes.
///
/// A body never changes, so its bytes are those of the file while the file exists.
final class RecentBodies: Sendable {
    private struct State {
        /// The bodies with the numbers of their files, the most recently used last.
        var bodies: [(id: UInt64, data: Data)] = []
        var size = 0
    }

    private let state = Lock(State())
    private let limit: Int

    init(limit: Int) { self.limit = max(limit, 0) }

    /// The body in a file; `nil` if it is not kept.
    func body(_ id: UInt64) -> Data? {
        state.withLock { state in
            guard let index = state.bodies.lastIndex(where: { $0.id == id }) else { return nil }
            let body = state.bodies.remove(at: index)
            state.bodies.append(body)
            return body.data
        }
    }

    /// Keeps a body, and releases those whose last use is longest ago beyond the limit.
    ///
    /// A body of more than a quarter of the limit would replace too many others, and is not kept.
    func insert(_ data: Data, id: UInt64) {
        guard data.count <= limit / 4 else { return }
        state.withLock { state in
            guard !state.bodies.contains(where: { $0.id == id }) else { return }
            state.bodies.append((id, data))
            state.size += data.count
            while state.size > limit { state.size -= state.bodies.removeFirst().data.count }
        }
    }

    /// Releases the body in a file.
    func remove(_ id: UInt64) {
        state.withLock { state in
            guard let index = state.bodies.firstIndex(where: { $0.id == id }) else { return }
            state.size -= state.bodies.remove(at: index).data.count
        }
    }
}
