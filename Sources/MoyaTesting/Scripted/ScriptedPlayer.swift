import Foundation
import MoyaTransport

/// Plays an answer to a sink, step by step, on the thread that ends the last wait.
final class ScriptedPlayer: TransportExchange {
    private struct State {
        var steps: ArraySlice<ScriptedTransport.Step>
        let metrics: TransportMetrics?
        /// The unread rest of the request's body; `nil` after its end.
        var body: TransportBody?
        /// The stream of the body, held to its stated length.
        var stated: StatedBody?
        var trailers: [HTTPField] = []
        var sentBytes: Int64 = 0
        var receivedBytes: Int64 = 0
        /// `true` while a thread is working; other threads leave the work to it.
        var isRunning = false
        var isPaused = false
        /// `true` while a delay, a gate or the body's reader is awaited.
        var isSuspended = false
        var waiting: Task<Void, Never>?
        var isCancelled = false
        var isEnded = false
        /// Counts resumptions, so that the sink's result does not undo a resumption made within the sink.
        var resumptions = 0
    }

    private enum Action {
        case readBody(TransportBody)
        case step(ScriptedTransport.Step)
        case end(TransportEnd)
    }

    /// The number of the exchange in the record.
    private let number: Int
    private let request: HTTPRequest
    private let sink: any TransportSink
    private let record: Watched<ScriptedRecord>
    private let clock: any Clock<Duration>
    private let state: Lock<State>

    init(
        _ answer: ScriptedTransport.Answer, number: Int, request: HTTPRequest, sink: any TransportSink,
        record: Watched<ScriptedRecord>, clock: any Clock<Duration>
    ) {
        self.number = number
        self.request = request
        self.sink = sink
        self.record = record
        self.clock = clock
        state = Lock(
            State(steps: answer.steps[...], metrics: answer.metrics, body: answer.readsBody ? request.body : nil))
    }

    // MARK: Calls of the client

    func cancel() { cancel(byCaller: true) }

    func cancel(byCaller: Bool) {
        let waiting = state.withLock { state in
            state.isCancelled = true
            return state.waiting
        }
        if byCaller { record { $0.isCancelled = true } }
        waiting?.cancel()
        run()
    }

    func pause() {
        state.withLock { $0.isPaused = true }
        record { $0.pauses += 1 }
    }

    func resume() {
        state.withLock { state in
            state.isPaused = false
            state.resumptions += 1
        }
        record { $0.resumptions += 1 }
        run()
    }

    private func record(_ change: @escaping @Sendable (inout ScriptedTransport.Exchange) -> Void) {
        record.update { [number] in change(&$0.exchanges[number]) }
    }

    // MARK: Playing

    /// Plays the answer until it ends or waits, unless another thread does.
    func run() {
        let mayRun = state.withLock { state in
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        guard mayRun else { return }
        while let action = next() {
            switch action {
            case .readBody(let body): read(body)
            case .step(let step): perform(step)
            case .end(let end): finish(end)
            }
        }
    }

    /// The next action; `nil`, with the runner ended, if there is a reason to wait.
    private func next() -> Action? {
        state.withLock { state in
            if state.isCancelled, !state.isEnded {
                return .end(end(&state, .cancelled))
            }
            guard !state.isEnded, !state.isPaused, !state.isSuspended else {
                state.isRunning = false
                return nil
            }
            if let body = state.body { return .readBody(body) }
            return state.steps.popFirst().map(Action.step) ?? .end(end(&state, nil))
        }
    }

    private func end(_ state: inout State, _ failure: TransportFailure?) -> TransportEnd {
        state.isEnded = true
        guard request.collectsMetrics else { return TransportEnd(failure: failure, trailers: state.trailers) }
        let metrics =
            state.metrics ?? TransportMetrics(bytesSent: state.sentBytes, bytesReceived: state.receivedBytes)
        return TransportEnd(failure: failure, metrics: metrics, trailers: state.trailers)
    }

    private func perform(_ step: ScriptedTransport.Step) {
        switch step {
        case .informational(let status, let fields): deliver(.informational(Self.head(status, fields)))
        case .head(let status, let fields): deliver(.head(Self.head(status, fields)))
        case .chunk(let bytes):
            guard !bytes.isEmpty else { return }
            state.withLock { $0.receivedBytes += Int64(bytes.count) }
            bytes.withUnsafeBytes { deliver(.chunk($0)) }
        case .trailers(let fields):
            state.withLock { $0.trailers += Self.fields(fields) }
        case .delay(let duration):
            guard duration > .zero else { return }
            let clock = clock
            suspend { try? await clock.sleep(for: duration.clamped) }
        case .wait(let gate):
            suspend { try? await gate.wait() }
        case .silence:
            state.withLock { $0.isSuspended = true }
        case .failure(let failure):
            finish(state.withLock { end(&$0, failure) })
        }
    }

    private func deliver(_ event: TransportEvent) {
        let resumptions = state.withLock { $0.resumptions }
        guard sink.receive(event) == .wait else { return }
        state.withLock { if $0.resumptions == resumptions { $0.isPaused = true } }
    }

    private func finish(_ end: TransportEnd) {
        state.withLock { state in
            state.steps = []
            state.body = nil
        }
        record.update { [number] record in
            record.exchanges[number].end = end
            record.players[number] = nil
        }
        _ = sink.receive(.end(end))
    }

    /// Suspends the answer until an operation ends.
    private func suspend(_ operation: @escaping @Sendable () async -> Void) {
        state.withLock { $0.isSuspended = true }
        let waiting = Task {
            await operation()
            self.unsuspend()
        }
        let isCancelled = state.withLock { state in
            if state.isSuspended { state.waiting = waiting }
            return state.isCancelled
        }
        if isCancelled { waiting.cancel() }
    }

    private func unsuspend() {
        state.withLock { state in
            state.isSuspended = false
            state.waiting = nil
        }
        run()
    }

    private static func head(_ status: Int, _ fields: LoopbackFields) -> TransportResponseHead {
        TransportResponseHead(status: status, fields: Self.fields(fields))
    }

    private static func fields(_ fields: LoopbackFields) -> [HTTPField] {
        fields.map { HTTPField(name: $0.name, value: $0.value) }
    }

    // MARK: Reading the request's body

    private func read(_ body: TransportBody) {
        state.withLock { $0.isSuspended = true }
        do throws(TransportFailure) {
            guard let bytes = try nextBytes(of: body) else { return }
            let rest: TransportBody? =
                switch body {
                case .none: nil
                case .data, .file: .some(.none)
                case .stream: bytes.isEmpty ? nil : body
                }
            let sent = state.withLock { state in
                state.body = rest
                state.isSuspended = false
                state.sentBytes += Int64(bytes.count)
                return state.sentBytes
            }
            if rest == nil { return }
            // In place, since a copy for each piece would make the cost quadratic.
            record { exchange in
                if exchange.body == nil { exchange.body = bytes } else { exchange.body?.append(bytes) }
            }
            if request.reportsSentBytes, !bytes.isEmpty {
                deliver(.sent(bytes: sent, expected: request.body.length))
            }
        } catch {
            state.withLock { state in
                state.body = nil
                state.isSuspended = false
                state.steps = [.failure(error)]
            }
        }
    }

    /// Reads the available bytes, as a network transport would: all of a body in memory or in a file, a piece of a
    /// stream, and none at its end; `nil` if there are none yet.
    private func nextBytes(of body: TransportBody) throws(TransportFailure) -> Data? {
        switch body {
        case .none: return Data()
        case .data(let data): return data
        case .file(let url, let length):
            var shortfall: String?
            do throws(RegularFile.Refusal) {
                let file = try RegularFile(at: url.path)
                if file.length >= length {
                    return try file.contents(limit: Int(clamping: file.length)).prefix(Int(clamping: length))
                }
                shortfall = file.shortfall(at: url.path, of: length)
            } catch {
                throw .requestBody("\(url.path) \(error).", cause: error)
            }
            throw .requestBody(shortfall ?? "")
        case .stream(let reader, let length):
            // Not under the lock, since the reader is the user's.
            var stated = state.withLock { $0.stated } ?? StatedBody(reader, length: length)
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
            defer { piece.deallocate() }
            guard let count = try stated.read(into: piece, whenReadable: { self.unsuspend() }) else { return nil }
            state.withLock { $0.stated = stated }
            return Data(piece[..<count])
        }
    }
}
