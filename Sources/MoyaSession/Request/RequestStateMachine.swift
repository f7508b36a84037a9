/// Determines the transitions of a request, without side effects.
///
///     initialized --resume--> preparing --prepared--> exchanging --ended--> deciding --finish--> finished
///                                 |  ^                                          |
///                                 |  +----------------- waiting <-----retry-----+
///                                 +--failed--> deciding
///
///     suspend, resume   hold the request before an exchange and pause it within one
///     cancel, expire    from anywhere but an end, straight to it
///     cancelAtEnd       cancelled at once, and over with the exchange's own end
///     delivering        the body is moved to its destination, and an end waits for that
///
/// In any order of events, exactly one of them is answered with ``Action/finish(cancelsExchange:)``, and every event
/// after that with ``Action/none``.
struct RequestStateMachine {
    /// The stage of the request.
    enum Stage: Equatable {
        /// Nothing has happened yet.
        case idle
        /// The `URLRequest` is being built and adapted.
        case preparing
        /// The request is ready to be sent, once it is resumed.
        case prepared
        /// The transport performs the request.
        case exchanging
        /// The body is being moved to its destination; a pending end waits for that.
        case delivering
        /// The attempt is over, and a retrier decides about another.
        case deciding
        /// Another attempt follows after a delay.
        case waiting
        /// The request is over.
        case over
    }

    /// The action to perform after unlocking.
    enum Action: Equatable {
        /// Nothing.
        case none
        /// Build and adapt the `URLRequest` of an attempt.
        case prepare(attempt: Int)
        /// Hand the prepared request to the transport.
        case start
        /// Let the transport continue to read.
        case resumeExchange
        /// Let the transport stop reading.
        case pauseExchange
        /// Let the transport cancel the exchange, and wait for its end.
        case cancelExchange
        /// Nothing yet; the end follows once the body was moved.
        case deferEnd
        /// Decide about retrying.
        case decide(attempt: Int)
        /// Prepare an attempt after a delay.
        case wait(attempt: Int)
        /// Notify all handlers that the request is over; this is the only terminal action.
        case finish(cancelsExchange: Bool)
    }

    private(set) var state = Request.State.initialized
    private(set) var stage = Stage.idle
    /// The number of the attempt, from 0; answers for earlier attempts are ignored.
    private(set) var attempt = 0
    /// `true` if a pending end waits until the body was moved.
    private var isEndDeferred = false
    /// `true` if the request was cancelled, and the received part of its response is not needed.
    private(set) var dropsPart = false
    /// `true` if ``cancelAtEnd()`` has cancelled the exchange.
    private(set) var hasCancelledExchange = false

    var isOver: Bool { stage == .over }
    /// `true` if the request has been cancelled, or is over.
    var isEnding: Bool { stage == .over || state == .cancelled || isEndDeferred }
    private var isHeld: Bool { state == .suspended }

    mutating func resume() -> Action {
        switch state {
        case .initialized, .suspended: state = .resumed
        case .resumed, .cancelled, .finished: return .none
        }
        switch stage {
        case .idle:
            stage = .preparing
            return .prepare(attempt: attempt)
        case .prepared:
            stage = .exchanging
            return .start
        case .exchanging, .delivering: return .resumeExchange
        case .preparing, .deciding, .waiting, .over: return .none
        }
    }

    mutating func suspend() -> Action {
        switch state {
        case .initialized, .resumed: state = .suspended
        case .suspended, .cancelled, .finished: return .none
        }
        return stage == .exchanging || stage == .delivering ? .pauseExchange : .none
    }

    mutating func cancel() -> Action {
        let action = end(as: .cancelled)
        if action != .none { dropsPart = true }
        return action
    }

    /// Ends the request because its deadline has passed.
    mutating func expire() -> Action { end(as: .finished) }

    /// Ends the request now, or once its body was moved.
    private mutating func end(as final: Request.State) -> Action {
        guard stage != .over, !isEndDeferred else { return .none }
        if state != .cancelled { state = final }
        if stage == .delivering {
            isEndDeferred = true
            return .deferEnd
        }
        defer { stage = .over }
        return .finish(cancelsExchange: stage == .exchanging)
    }

    /// Cancels the request, and waits for the end of its exchange, so that partial results can be used.
    mutating func cancelAtEnd() -> Action {
        guard stage == .exchanging else { return end(as: .cancelled) }
        guard state != .cancelled else { return .none }
        state = .cancelled
        hasCancelledExchange = true
        return .cancelExchange
    }

    /// Continues after the `URLRequest` of an attempt was prepared.
    mutating func prepared(attempt prepared: Int) -> Action {
        guard stage == .preparing, prepared == attempt else { return .none }
        stage = isHeld ? .prepared : .exchanging
        return isHeld ? .none : .start
    }

    /// Continues after the `URLRequest` of an attempt could not be made.
    mutating func preparationFailed(attempt failed: Int) -> Action {
        guard stage == .preparing, failed == attempt else { return .none }
        stage = .deciding
        return .decide(attempt: attempt)
    }

    /// Starts moving the body to its destination; `false` if the request is over or ending.
    mutating func beginDelivery() -> Bool {
        guard stage == .exchanging, state != .cancelled else { return false }
        stage = .delivering
        return true
    }

    /// Continues after the body was moved, or could not be moved.
    mutating func endDelivery() -> Action {
        guard stage == .delivering else { return .none }
        stage = isEndDeferred ? .over : .exchanging
        return isEndDeferred ? .finish(cancelsExchange: true) : .none
    }

    /// Continues after the transport has reported the end of the exchange.
    mutating func exchangeEnded() -> Action {
        guard stage == .exchanging else { return .none }
        guard state != .cancelled else {
            stage = .over
            return .finish(cancelsExchange: false)
        }
        stage = .deciding
        return .decide(attempt: attempt)
    }

    /// Finishes the request after an attempt that is not retried.
    mutating func decidedToFinish(attempt decided: Int) -> Action {
        guard stage == .deciding, decided == attempt else { return .none }
        state = .finished
        stage = .over
        return .finish(cancelsExchange: false)
    }

    /// Retries the request after an attempt.
    mutating func decidedToRetry(attempt decided: Int) -> Action {
        guard stage == .deciding, decided == attempt else { return .none }
        attempt += 1
        stage = .waiting
        return .wait(attempt: attempt)
    }

    /// Continues after the delay before an attempt.
    mutating func waited(attempt due: Int) -> Action {
        guard stage == .waiting, due == attempt else { return .none }
        stage = .preparing
        return .prepare(attempt: attempt)
    }
}
