import Foundation
import MoyaTransport

/// Delivers a stored body and the end of its exchange, at the pace of the sink.
final class StoredBodyDelivery: TransportExchange {
    private struct State {
        /// `true` while a thread is delivering.
        var isRunning = false
        /// `true` after the sink requested a wait, or the exchange was paused.
        var isWaiting = false
        /// `true` if ``resume()`` was called since the last delivery began.
        var wasResumed = false
        var isCancelled = false
        var isOver = false
        var position: Int64 = 0
        /// The exchange that delivers what cannot be read.
        var rest: (any TransportExchange)?
    }

    private let state = Lock(State())
    private let body: OpenedBody
    private let bytes: Range<Int64>
    private let end: TransportEnd
    private let sink: any TransportSink
    /// The queue on which files are read, and on which delivery resumes after a pause.
    private var queue: DispatchQueue { cache.queue }
    private let hit: CacheHit
    private let request: CacheRequest
    private let inner: any Transport
    private let cache: HTTPCache

    /// - Parameters:
    ///   - hit: An opened stored response.
    ///   - request: The request that it answers.
    ///   - inner: Requests the rest of a response whose body turns out to be damaged.
    init(
        _ hit: CacheHit, end: TransportEnd = TransportEnd(), of request: CacheRequest, over inner: any Transport,
        cache: HTTPCache, to sink: any TransportSink
    ) {
        self.hit = hit
        self.request = request
        self.inner = inner
        self.cache = cache
        body = hit.opened ?? .memory(Data())
        bytes = hit.delivered
        self.end = end
        self.sink = sink
        state.withLock { $0.position = bytes.lowerBound }
    }

    /// Starts: at once if the bytes are in memory, on the queue if they are in a file.
    func begin() {
        guard claim() else { return }
        guard case .file = body, !bytes.isEmpty else { return run() }
        queue.async { self.run() }
    }

    func cancel() {
        let (isClaimed, rest) = state.withLock { state in
            state.isCancelled = true
            guard !state.isRunning, !state.isOver else { return (false, state.rest) }
            state.isRunning = true
            return (true, nil)
        }
        rest?.cancel()
        if isClaimed { run() }
    }

    func pause() {
        state.withLock { state in
            state.isWaiting = true
            return state.rest
        }?.setPaused { state.withLock { $0.isWaiting } }
    }

    func resume() {
        let rest = state.withLock { state in
            state.isWaiting = false
            state.wasResumed = true
            return state.rest
        }
        if let rest { return rest.setPaused { state.withLock { $0.isWaiting } } }
        guard claim() else { return }
        queue.async { self.run() }
    }

    /// Claims the delivery; `false` if another thread has it, or there is nothing to deliver now.
    private func claim() -> Bool {
        state.withLock { state in
            guard !state.isRunning, !state.isOver, !state.isWaiting else { return false }
            state.isRunning = true
            return true
        }
    }

    private enum Step {
        case stop
        case end(TransportEnd)
        case chunk(at: Int64)
    }

    private func run() {
        while true {
            switch next() {
            case .stop: return
            case .end(let end):
                _ = sink.receive(.end(end))
                return
            case .chunk(let position): deliver(from: position)
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            // Unreadable bytes have ended it.
            if state.isOver { return .stop }
            if state.isCancelled || state.position >= bytes.upperBound, !state.isWaiting || state.isCancelled {
                state.isOver = true
                return .end(state.isCancelled ? .cancelled : end)
            }
            guard !state.isWaiting else {
                state.isRunning = false
                return .stop
            }
            state.wasResumed = false
            return .chunk(at: state.position)
        }
    }

    private func deliver(from position: Int64) {
        let (demand, count) = read(from: position)
        guard count > 0 else {
            cache.store.remove(hit.response)
            state.withLock { state in
                state.isOver = true
                state.wasResumed = false
            }
            if let handle = RestOfBody.start(
                of: hit, after: position - bytes.lowerBound, for: request, over: inner, to: sink)
            {
                return follow(handle)
            }
            let failure = TransportFailure(.truncated, message: "the stored response is damaged, and was removed")
            _ = sink.receive(.end(TransportEnd(failure: failure)))
            return
        }
        state.withLock { state in
            state.position += Int64(count)
            if demand == .wait, !state.wasResumed { state.isWaiting = true }
        }
    }

    /// Lets another exchange deliver the rest.
    private func follow(_ handle: any TransportExchange) {
        let (isCancelled, isWaiting, isResumed) = state.withLock { state in
            state.rest = handle
            return (state.isCancelled, state.isWaiting, state.wasResumed)
        }
        // The exchange was not known yet.
        if isWaiting || isResumed { handle.setPaused { state.withLock { $0.isWaiting } } }
        if isCancelled { handle.cancel() }
    }

    /// Passes the next bytes to the sink; none if they cannot be read.
    private func read(from position: Int64) -> (TransportDemand, Int) {
        switch body {
        case .memory(let data):
            return data.withUnsafeBytes { all in
                let rest = UnsafeRawBufferPointer(rebasing: all[Int(position)..<Int(bytes.upperBound)])
                return (sink.receive(.chunk(rest)), rest.count)
            }
        case .file(let reader):
            guard let piece = reader.next() else { return (.more, 0) }
            return (piece.withUnsafeBytes { sink.receive(.chunk($0)) }, piece.count)
        }
    }
}
