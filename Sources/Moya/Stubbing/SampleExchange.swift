import Foundation
import MoyaTransport

/// An exchange that delivers its sample in pieces, at its pace and as its reader accepts them.
final class SampleExchange: TransportExchange {
    private struct State {
        var task: _Concurrency.Task<Void, Never>?
        var isCancelled = false
        /// `true` while no piece is requested.
        var isHeld = false
        /// The number of calls of ``SampleExchange/resume()``.
        var resumptions = 0
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let sink: any TransportSink
    private let state = Lock(State())

    init(delivering sink: any TransportSink) { self.sink = sink }

    /// Starts the delivery.
    func start(_ head: TransportResponseHead, _ data: Data, at pace: SamplePace) {
        let task = _Concurrency.Task { [self] in
            await deliver(head, data, at: pace)
            _ = sink.receive(.end(isCancelled ? .cancelled : TransportEnd()))
        }
        let isUnwanted = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isUnwanted { task.cancel() }
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    private func deliver(_ head: TransportResponseHead, _ data: Data, at pace: SamplePace) async {
        send(.head(head))
        var start = data.startIndex
        while start < data.endIndex {
            let end = data.index(start, offsetBy: pace.pieceSize, limitedBy: data.endIndex) ?? data.endIndex
            if pace.interval > .zero, (try? await pace.timeline.sleep(for: pace.interval)) == nil { return }
            await demand()
            guard !isCancelled else { return }
            data[start..<end].withUnsafeBytes { send(.chunk($0)) }
            start = end
        }
        await demand()
    }

    private func send(_ event: TransportEvent) {
        let before = state.withLock { $0.resumptions }
        guard case .wait = sink.receive(event) else { return }
        // The reader may have resumed before its result arrived here.
        state.withLock { state in
            if state.resumptions == before { state.isHeld = true }
        }
    }

    /// Waits until the reader resumes.
    private func demand() async {
        await withUnsafeContinuation { continuation in
            let isWanted = state.withLock { state in
                guard state.isHeld, !state.isCancelled else { return true }
                state.waiter = continuation
                return false
            }
            if isWanted { continuation.resume() }
        }
    }

    // MARK: TransportExchange

    func cancel() {
        let (task, waiter) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.waiter.take())
        }
        task?.cancel()
        waiter?.resume()
    }

    func pause() { state.withLock { $0.isHeld = true } }

    func resume() {
        let waiter = state.withLock { state in
            state.isHeld = false
            state.resumptions += 1
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
