import MoyaTransport

/// Passes events to the state machine under the lock, and performs its actions after unlocking.
extension Request {
    /// `true` if the transport delivers events on a thread where user code may run.
    var deliversInline: Bool {
        (mutableState.withLock { $0.transport } ?? core.stack).deliversWhereCodeMayBlock
    }

    /// Passes an event to the machine and performs the resulting action.
    func perform(_ event: (inout sending MutableState) -> RequestStateMachine.Action) {
        act(on: mutableState.withLock { event(&$0) })
    }

    /// Performs a caller's action, and notifies monitors if it changes the state.
    func change(_ report: RequestEvent, _ event: (inout sending MutableState) -> RequestStateMachine.Action) {
        let (action, hasChanged, own) = mutableState.withLock { state in
            let before = state.machine.state
            let action = event(&state)
            // Until the start another thread may add a monitor.
            return (action, state.machine.state != before, ownMonitor)
        }
        if hasChanged, let monitor = own ?? core.monitor { deliver(report, to: monitor) }
        act(on: action)
    }

    /// Notifies the monitors, if there are any.
    func report(_ event: @autoclosure () -> RequestEvent) {
        if let monitor { deliver(event(), to: monitor) }
    }

    /// Notifies monitors of an event, behind those that were reported before, unless the request has finished.
    func deliver(_ event: RequestEvent, to monitor: CompositeEventMonitor) {
        let delivers = mutableState.withLock { state in
            state.makeRare().outbox.append(event, for: monitor, error: state.error)
        }
        guard delivers else { return }
        while let (event, monitor) = mutableState.withLock({ $0.rare?.outbox.next() }) {
            monitor.receive(event, of: self)
        }
    }

    /// Notifies the monitors about the current attempt.
    func reportTask(_ event: (RequestAttempt) -> RequestEvent) {
        guard let monitor else { return }
        let attempt = mutableState.withLock { state in
            state.rare?.attemptRequest.map { RequestAttempt(number: state.machine.attempt, urlRequest: $0) }
        }
        if let attempt { deliver(event(attempt), to: monitor) }
    }

    /// Performs an action of the machine.
    func act(on action: RequestStateMachine.Action) {
        switch action {
        case .none: break
        case .prepare(let attempt): prepare(attempt)
        case .start: startAttempt()
        case .resumeExchange:
            reportTask { .didResumeTask($0) }
            readOn()
        case .pauseExchange:
            reportTask { .didSuspendTask($0) }
            currentExchange?.setPaused { mutableState.withLock { $0.isOnHold } }
        case .deferEnd: break
        case .cancelExchange:
            reportTask { .didCancelTask($0) }
            currentExchange?.cancel()
        case .decide(let attempt): RetryDecision.make(after: attempt, of: self)
        case .wait(let attempt): perform { $0.machine.waited(attempt: attempt) }
        case .finish(let cancelsExchange): finish(cancelsExchange: cancelsExchange)
        }
    }

    private var currentExchange: (any TransportExchange)? { mutableState.withLock { $0.exchange } }

    private func startAttempt() {
        let isReported = mutableState.withLock { state in
            // An attempt that was prepared without a monitor has neither a beginning nor an end for one.
            guard state.rare?.pending?.attempt.monitor != nil else { return false }
            state.makeRare().attemptRequest = lastRequest(in: &state)
            return true
        }
        if isReported {
            reportTask { .didCreateTask($0) }
            reportTask { .didResumeTask($0) }
        }
        let started = mutableState.withLock { state in state.rare?.pending.take().map { ($0, state.beginExchange()) } }
        guard let (pending, start) = started else { return }
        var sent = pending.request
        pending.attempt.renewTimeLimits(of: &sent)
        pending.attempt.start(start, of: sent)
    }

    private func prepare(_ attempt: Int) {
        if attempt == 0 {
            guard register({ [core] state in state.deadline = core.deadline(own: state.rare?.timeouts) }) else {
                return
            }
        }
        Attempt(attempt, of: self).prepare()
    }

    /// Registers the request with its session, and changes its state; `false` if it is over.
    @discardableResult
    func register(_ change: (inout sending MutableState) -> Void = { _ in }) -> Bool {
        core.register(self)
        // A request that ended meanwhile was unregistered before it was registered.
        let isOver = mutableState.withLock { state in
            change(&state)
            return state.machine.isOver
        }
        if isOver { core.unregister(self) }
        return !isOver
    }

    // MARK: Deadlines

    /// The time at which the request, or the attempt of a stream, must be over.
    var deadline: Deadline? {
        mutableState.withLock { state in
            guard let head = state.rare?.headDeadline else { return state.deadline }
            return state.deadline.map { min($0, head) } ?? head
        }
    }

    /// Ends a request at its deadline if it still waits for user code.
    func watchDeadline(in stage: RequestStateMachine.Stage, of attempt: Int) {
        let deadline = mutableState.withLock { state in
            state.machine.stage == stage && state.machine.attempt == attempt ? state.deadline : nil
        }
        if let deadline { core.watch(deadline) }
    }

    /// Ends the request because its deadline has passed, or only the attempt of a stream.
    func expire(at now: UInt64) {
        let late = mutableState.withLock { $0.endLateAttempt(at: now) }
        guard let late else { return perform { $0.expire(at: now, of: self) } }
        late.exchange?.cancel()
        late.end.map { $0.attempt.finish(TransportEnd(failure: $0.attempt.headTimeout)) }
    }
}
