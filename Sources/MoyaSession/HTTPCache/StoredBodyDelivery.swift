import Foundation
import MoyaTransport

/// Delivers a stored body and the end of its exchange, at the pace of the sink.
final class StoredBodyDelivery: RelayedExchange {
    private struct State {
        /// The relay to the exchange that delivers what cannot be read.
        var relay = ExchangeRelay()
        /// `true` while a thread is delivering.
        var isRunning = false
        var isOver = false
        var position: Int64 = 0
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
    func start() {
        guard claim() else { return }
        guard case .file = body, !bytes.isEmpty else { return run() }
        queue.async { self.run() }
    }

    func cancel() {
        let (isClaimed, rest) = state.withLock { state in
            state.relay.isCancelled = true
            guard !state.isRunning, !state.isOver else { return (false, state.relay.handle) }
            state.isRunning = true
            return (true, nil)
        }
        rest?.cancel()
        if isClaimed { run() }
    }

    func resume() {
        guard !passOn(pauses: false), claim() else { return }
        queue.async { self.run() }
    }

    func withRelay<Result: Sendable>(_ body: (inout ExchangeRelay) -> Result) -> Result {
        state.withLock { body(&$0.relay) }
    }

    /// Claims the delivery; `false` if another thread has it, or there is nothing to deliver now.
    private func claim() -> Bool {
        state.withLock { state in
            guard !state.isRunning, !state.isOver, !state.relay.isPaused else { return false }
            state.isRunning = true
            return true
        }
    }

    private enum Step {
        case stop
        case end(TransportEnd)
        /// Deliver a chunk; the number of resumptions before it tells one that comes meanwhile.
        case chunk(at: Int64, resumptions: Int)
    }

    private func run() {
        while true {
            switch next() {
            case .stop: return
            case .end(let end):
                _ = sink.receive(.end(end))
                return
            case .chunk(let position, let resumptions): deliver(from: position, resumptions)
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            // Unreadable bytes have ended it.
            if state.isOver { return .stop }
            if state.relay.isCancelled || state.position >= bytes.upperBound && !state.relay.isPaused {
                state.isOver = true
                return .end(state.relay.isCancelled ? .cancelled : end)
            }
            guard !state.relay.isPaused else {
                state.isRunning = false
                return .stop
            }
            return .chunk(at: state.position, resumptions: state.relay.resumptions)
        }
    }

    private func deliver(from position: Int64, _ resumptions: Int) {
        do throws(CacheFileFault) {
            let (demand, count) = try read(from: position)
            state.withLock { state in
                state.position += Int64(count)
                if demand == .wait, state.relay.resumptions == resumptions { state.relay.isPaused = true }
            }
        } catch {
            if error == .useless { cache.store.remove(hit.response) }
            state.withLock { $0.isOver = true }
            let isContinued = relay {
                RestOfBody.start(of: hit, after: position - bytes.lowerBound, for: request, over: inner, to: sink) {
                    [self] in cancel()
                }
            }
            if isContinued { return }
            let failure = TransportFailure(.truncated, message: "the rest of the stored response cannot be read")
            _ = sink.receive(.end(TransportEnd(failure: failure)))
        }
    }

    /// Passes the next bytes to the sink.
    private func read(from position: Int64) throws(CacheFileFault) -> (TransportDemand, Int) {
        switch body {
        case .memory(let data):
            return data.withUnsafeBytes { all in
                let rest = UnsafeRawBufferPointer(rebasing: all[Int(position)..<Int(bytes.upperBound)])
                return (sink.receive(.chunk(rest)), rest.count)
            }
        case .file(let reader):
            let piece = try reader.next()
            return (piece.withUnsafeBytes { sink.receive(.chunk($0)) }, piece.count)
        }
    }
}
