import Foundation
import MoyaTransport

/// Passes the chunks of a body to every receiver of its request, and holds the transport back while chunks wait.
final class ChunkDelivery: Sendable {
    /// Bytes of a body.
    struct Chunk: Sendable {
        let data: Data
        /// The number of the response, from 1: another attempt has another one.
        let response: Int
    }

    /// Takes a chunk, and calls the closure once the chunk needs no memory any more.
    typealias Receiver = @Sendable (Chunk, DataStreamRequest, _ release: @escaping @Sendable () -> Void) -> Void

    private struct State {
        var receivers: [Receiver] = []
        var response = 0
        /// The cost of the chunks that receivers still hold.
        var waiting = 0
        /// `true` if the transport was told to wait.
        var isHeld = false
        /// `true` if that has happened with this response.
        var hasBeenHeld = false
    }

    private let state = Lock(State())

    /// `true` if the transport must wait before it reads more.
    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// `true` if the transport was told to wait, and may read on.
    var hasCaughtUp: Bool { state.withLock { $0.hasBeenHeld && !$0.isHeld } }

    /// The number of the last response; 0 before the first.
    var response: Int { state.withLock { $0.response } }

    func add(_ receiver: @escaping Receiver) { state.withLock { $0.receivers.append(receiver) } }

    /// Releases the receivers of a request that is over.
    func removeAll() { state.withLock { $0.receivers = [] } }

    /// Begins with another response.
    func start() {
        state.withLock { state in
            state.response += 1
            state.hasBeenHeld = state.isHeld
        }
    }

    func deliver(_ bytes: UnsafeRawBufferPointer, of request: DataStreamRequest) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        let data = Data(bytes: start, count: bytes.count)
        let cost = data.count + ResponseStream.chunkCost
        let (receivers, response) = state.withLock { state in
            state.waiting += cost * state.receivers.count
            if state.waiting >= ResponseStream.mostBytes {
                state.isHeld = true
                state.hasBeenHeld = true
            }
            return (state.receivers, state.response)
        }
        for receive in receivers {
            receive(Chunk(data: data, response: response), request) { [self] in release(cost, of: request) }
        }
    }

    private func release(_ cost: Int, of request: DataStreamRequest) {
        let readsOn = state.withLock { state in
            state.waiting -= cost
            guard state.isHeld, state.waiting <= ResponseStream.mostBytes / 2 else { return false }
            state.isHeld = false
            return true
        }
        if readsOn { request.readOn() }
    }
}
