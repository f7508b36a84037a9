import Dispatch
import MoyaTransport

/// Ends requests that wait for user code (an adapter, a retrier, a handler) when their time is over.
///
/// While bytes move the transport watches the time. One timer serves all requests of a session, and is armed only while
/// one of them waits: a request that does not wait costs nothing.
package final class DeadlineWatch: Sendable {
    private struct State {
        var due: Deadline?
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "org.moya.deadlines")

    package init() {}

    deinit { state.withLock { $0.timer?.cancel() } }

    /// Has `expire` called, on a queue of the watch's own, no earlier than the deadline; it is given the moment, and
    /// answers with the next deadline to watch.
    package func watch(_ deadline: Deadline, expire: @escaping @Sendable (UInt64) -> Deadline?) {
        state.withLock { state in
            if let due = state.due, due <= deadline { return }
            state.due = deadline
            state.timer?.cancel()
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.fire(expire) }
            timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline.uptimeNanoseconds))
            state.timer = timer
            timer.resume()
        }
    }

    private func fire(_ expire: @escaping @Sendable (UInt64) -> Deadline?) {
        state.withLock { state in
            state.due = nil
            state.timer?.cancel()
            state.timer = nil
        }
        if let next = expire(DispatchTime.now().uptimeNanoseconds) { watch(next, expire: expire) }
    }
}
