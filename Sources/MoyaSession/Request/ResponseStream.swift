import Foundation
import MoyaTransport

/// Passes the body of a response from the transport to one reader, chunk by chunk.
///
/// A slow reader slows the transport down: nothing is read from the socket while ``mostBytes`` or more are waiting.
package final class ResponseStream: Sendable {
    /// The result of a read.
    package enum Chunk: Sendable {
        /// Received bytes.
        case bytes(Data)
        /// The end; the request's outcome has the error, if there is one.
        case end
        /// Another reader is waiting.
        case taken
    }

    fileprivate struct State {
        var chunks: [Data] = []
        var byteCount = 0
        /// `true` if the response was accepted, and its body belongs to the reader.
        var isOpen = false
        var isEnded = false
        /// `true` if the transport was paused.
        var isHeld = false
        var waiter: UnsafeContinuation<Void, Never>?
        /// `true` if the waiter is about to be resumed.
        var isWaking = false
        var priority = TaskPriority.medium
    }

    /// The number of bytes from which on the transport waits.
    static let mostBytes = 128 * 1024
    /// The approximate overhead of a chunk, so that a server that sends single bytes is slowed down too.
    static let chunkCost = 96

    private let state = Lock(State())

    package init() {}

    /// `true` if the response was accepted.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// `true` if the transport must wait before it reads more.
    var isFull: Bool { state.withLock { $0.isHeld } }

    func open() { state.withLock { $0.isOpen = true } }

    /// Appends bytes from the transport, and returns whether it may continue reading.
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
        if wakes { deliverInBatch() }
        return demand
    }

    /// Records the end of the request.
    func finish() {
        let wakes = state.withLock { state in
            state.isEnded = true
            return state.wakes()
        }
        if wakes { deliverInBatch() }
    }

    // MARK: Reading

    /// The next chunk, when there is one; cancelling the task cancels the request.
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
    /// `true` for the one caller that has to resume the waiter.
    fileprivate mutating func wakes() -> Bool {
        guard waiter != nil, !isWaking else { return false }
        isWaking = true
        return true
    }

    /// Removes the next chunk; also returns whether the transport may continue reading.
    fileprivate mutating func take() -> (chunk: ResponseStream.Chunk?, readsOn: Bool) {
        guard waiter == nil else { return (.taken, false) }
        guard !chunks.isEmpty else { return (isEnded ? .end : nil, false) }
        let chunk = chunks.removeFirst()
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
