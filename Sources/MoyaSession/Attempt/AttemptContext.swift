import MoyaTransport

/// The settings of a request that hold for an attempt, as they are when it begins.
struct AttemptContext {
    let isOver: Bool
    let observer: (any RequestObserver)?
    /// The request's own bounds.
    let timeouts: Deadlines?
    let deadline: Deadline?
    /// `true` if another transport than the session's takes the request, which then never reaches the network.
    let isCarried: Bool

    init(_ state: borrowing MutableState) {
        isOver = state.machine.isOver
        observer = state.observer
        timeouts = state.timeouts
        deadline = state.deadline
        isCarried = state.transport != nil
    }
}
