import Foundation
import Synchronization

/// A call through layers that ends with a completion: a task, and what cancels it.
final class LayeredCall: ActiveCall {
    private struct State {
        var task: _Concurrency.Task<Void, Never>?
        var isCancelled = false
        var isFinished = false
        var bytes: (completed: Int64, total: Int64?) = (0, nil)
    }

    private let queue: DispatchQueue?
    private let progress: SendableProgressBlock?
    private let calls: ActiveCalls<LayeredCall>
    /// Under the lock of ``calls``.
    nonisolated(unsafe) var place: Int?
    private let completion: SendableCompletion
    private let state = Mutex(State())

    init(
        queue: DispatchQueue?, progress: SendableProgressBlock?, calls: ActiveCalls<LayeredCall>,
        completion: @escaping SendableCompletion
    ) {
        self.queue = queue
        self.progress = progress
        self.calls = calls
        self.completion = completion
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Sets out, once.
    func start(_ journey: Journey) {
        var journey = journey
        journey.queue = queue
        if progress != nil { journey.progress = { [self] in report($0) } }
        calls.insert(self)
        let task = _Concurrency.Task { [self, journey] in finish(with: await journey.run()) }
        let isCancelled = state.withLock { state in
            if !state.isFinished { state.task = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func report(_ event: ProgressResponse) {
        if let counted = event.progressObject {
            let total = counted.totalUnitCount < 0 ? nil : counted.totalUnitCount
            state.withLock { $0.bytes = (counted.completedUnitCount, total) }
        }
        progress?(event)
    }

    private func finish(with result: Result<Response, MoyaError>) {
        state.withLock { state in
            state.isFinished = true
            state.task = nil
        }
        calls.remove(self)
        (queue ?? .main).async { [self] in
            if let progress {
                let bytes = state.withLock { $0.bytes }
                progress(ProgressResponse(endOf: result, completed: bytes.completed, total: bytes.total))
            }
            completion(result)
        }
    }
}
