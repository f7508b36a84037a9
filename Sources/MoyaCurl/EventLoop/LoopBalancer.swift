#if os(Linux)
import MoyaTransport

/// Distributes the exchanges of a transport over its loops: each goes to the loop with the fewest active ones, of those
/// that have a connection left for its origin.
final class LoopBalancer: Sendable {
    /// The exchanges of a loop with one origin.
    private struct Load {
        /// Those with a streamed response, which may never end.
        var streams = 0
        var others = 0

        /// 0 if a connection is left, 1 if an exchange has to wait for one, 2 if it has to wait for a stream.
        func shortage(of connections: Int) -> Int {
            streams >= connections ? 2 : streams + others >= connections ? 1 : 0
        }
    }

    private struct State {
        /// The number of exchanges of each loop.
        var underWay: [Int]
        /// The exchanges of each loop by their origin.
        var loads: [String: [Load]] = [:]
    }

    private let state: Lock<State>
    /// The number of connections to an origin of each loop.
    private let connections: [Int]

    /// Makes a balancer.
    ///
    /// - Parameter connections: The number of connections to an origin of each loop, at least one loop's.
    init(connections: [Int]) {
        self.connections = connections
        state = Lock(State(underWay: Array(repeating: 0, count: connections.count)))
    }

    /// Counts an exchange for a loop, the first of several that are alike, and returns the loop's index.
    ///
    /// Consecutive exchanges therefore stay on one loop, whose connections are open. The number of streams of an HTTP/2
    /// connection is not known here: beyond the number of connections, only the number of exchanges counts.
    func take(_ request: HTTPRequest) -> Int {
        let origin = OriginQueues.origin(of: request.url)
        return state.withLock { state in
            // Removed, so that the array is changed in place.
            var loads = state.loads.removeValue(forKey: origin) ?? Array(repeating: Load(), count: connections.count)
            var index = 0
            var least = (Int.max, Int.max)
            for other in connections.indices {
                let rank = (loads[other].shortage(of: connections[other]), state.underWay[other])
                if rank < least { (index, least) = (other, rank) }
            }
            state.underWay[index] += 1
            if request.isStreamed { loads[index].streams += 1 } else { loads[index].others += 1 }
            state.loads[origin] = loads
            return index
        }
    }

    /// Records the end of an exchange on a loop.
    func release(_ index: Int, _ request: HTTPRequest) {
        let origin = OriginQueues.origin(of: request.url)
        state.withLock { state in
            state.underWay[index] -= 1
            guard var loads = state.loads.removeValue(forKey: origin) else { return }
            if request.isStreamed { loads[index].streams -= 1 } else { loads[index].others -= 1 }
            if loads.contains(where: { $0.streams + $0.others > 0 }) { state.loads[origin] = loads }
        }
    }
}
#endif
