package import Foundation
import MoyaTransport

/// Hands the body of a response from the wire to one reader, chunk by chunk.
///
/// A reader that is slow holds the wire back: nothing is read from the socket while ``mostBytes`` or more wait.
package final class ResponseStream: Sendable {
    /// The result of a look at what has come.
    package enum Chunk: Sendable {
        /// Bytes as they came.
        case bytes(Data)
        /// Nothing more comes; the request's outcome has the error, where there is one.
        case end
        /// Another reader waits.
        case taken
    }

    fileprivate struct State {
        var chunks: [Data] = []
        /// How many of the chunks were read.
        var read = 0
        var byteCount = 0
        /// `true` if the response was accepted, and its body is the reader's.
        var isOpen = false
        var isEnded = false
        /// `true` if the wire was told to wait.
        var isHeld = false
        var waiter: UnsafeContinuation<Void, Never>?
        /// `true` if the waiter is about to be resumed.
        var isWaking = false
        var priority = TaskPriority.medium
    }

    /// The number of bytes from which on the wire waits.
    fileprivate static let mostBytes = 128 * 1024
    /// The approximate cost of a chunk besides its bytes: a server that sends single bytes is held back too.
    fileprivate static let chunkCost = 96

    private let state = Lock(State())

    package init() {}

    /// `true` if the response was accepted.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// `true` if the wire is told to wait before it reads more.
    var isFull: Bool { state.withLock { $0.isHeld } }

    func open() { state.withLock { $0.isOpen = true } }

    /// Takes bytes from the wire, and says whether it may read on.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportDemand {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return .more }
        let chunk = Data(bytes: start, count: bytes.count)
        let (demand, wakes) = state.withLock { state -> (TransportDemand, Bool) in
            guard !state.isEnded else { return (.more, false) }
            state.chunks.append(chunk)
            state.byteCount += chunk.count + Self.chunkCost
            if state.byteCount >= Self.mostBytes { state.isHeld = true }
            return (state.isHeld ? .wait : .more, state.wakes())
        }
        if wakes { wake() }
        return demand
    }

    /// Takes the end of the request.
    func finish() {
        let wakes = state.withLock { state in
            state.isEnded = true
            return state.wakes()
        }
        if wakes { wake() }
    }

    private func wake() {
        if let batch = CompletionBatch.current { batch.put(self) } else { deliver() }
    }

    // MARK: Reading

    /// The next chunk, once there is one; cancelling the task cancels the request.
    package func next(of request: Request, isolation: isolated (any Actor)? = #isolation) async -> Chunk {
        while true {
            let (chunk, readsOn) = state.withLock { $0.take() }
            if readsOn { request.readOn() }
            if let chunk { return chunk }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let priority = _Concurrency.Task.currentPriority
                    let isThere = state.withLock { state in
                        guard state.waiter == nil, !state.isEnded, state.chunks.isEmpty else { return true }
                        state.waiter = continuation
                        state.priority = priority
                        return false
                    }
                    if isThere { continuation.resume() }
                }
            } onCancel: {
                request.cancel()
            }
        }
    }
}

extension ResponseStream.State {
    /// `true` if the waiter has to be resumed, which one caller gets to do.
    fileprivate mutating func wakes() -> Bool {
        guard waiter != nil, !isWaking else { return false }
        isWaking = true
        return true
    }

    /// Takes the next chunk; says whether the wire is to read on.
    fileprivate mutating func take() -> (chunk: ResponseStream.Chunk?, readsOn: Bool) {
        guard waiter == nil else { return (.taken, false) }
        guard read < chunks.count else { return (isEnded ? .end : nil, false) }
        let chunk = chunks[read]
        chunks[read] = Data()
        read += 1
        if read == chunks.count {
            chunks.removeAll(keepingCapacity: chunks.count <= 64)
            read = 0
        } else if read == 64 {
            chunks.removeFirst(read)
            read = 0
        }
        byteCount -= chunk.count + ResponseStream.chunkCost
        let readsOn = isHeld && byteCount <= ResponseStream.mostBytes / 2
        if readsOn { isHeld = false }
        return (.bytes(chunk), readsOn && !isEnded)
    }
}

extension ResponseStream: DeferredCompletion {
    package var priority: TaskPriority { state.withLock { $0.priority } }

    package func deliver() {
        let waiter = state.withLock { state in
            state.isWaking = false
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
