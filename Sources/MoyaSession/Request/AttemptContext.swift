import MoyaTransport

/// The settings of a request at the start of an attempt.
struct AttemptContext {
    let isOver: Bool
    let observer: (any RequestObserver)?
    /// The request's own time limits.
    let timeouts: Deadlines?
    let deadline: Deadline?
    /// `true` if a stub performs the request in place of the session's transport, so that it never reaches the network.
    let isStubbed: Bool
    /// `true` if only a cached response is acceptable, because there is no network.
    let isOffline: Bool
    /// `true` if the cache would answer with a response that caused a retry.
    let reloads: Bool
    /// `true` if no user code can access the request and read its metrics.
    let isPrivate: Bool

    init(_ state: borrowing MutableState) {
        isOver = state.machine.isOver
        observer = state.observer
        timeouts = state.rare?.timeouts
        deadline = state.deadline
        isStubbed = state.transport != nil
        isOffline = state.rare?.isOffline ?? false
        reloads = state.rare?.reloads ?? false
        isPrivate = state.isPrivate
    }
}
