/// The transitions of a request: pure decisions, no side effects.
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
        /// Nothing was done yet.
        case idle
        /// The `URLRequest` is being built and adapted.
        case preparing
        /// Ready to be sent once the request is resumed.
        case prepared
        /// The transport carries it.
        case exchanging
        /// The body is being moved to its destination: an end waits for that.
        case delivering
        /// The attempt is over; it is being decided whether another follows.
        case deciding
        /// Another attempt follows after a delay.
        case waiting
        /// Nothing follows.
        case over
    }

    /// The steps of the driver, after it has unlocked.
    enum Action: Equatable {
        /// Nothing.
        case none
        /// Build and adapt the `URLRequest` of an attempt.
        case prepare(attempt: Int)
        /// Hand the prepared request to the transport.
        case start
        /// Let the transport read on.
        case resumeExchange
        /// Have the transport stop reading.
        case pauseExchange
        /// Have the transport stop, and wait for the end that it reports.
        case cancelExchange
        /// Nothing yet: the end comes once the body was moved.
        case deferEnd
        /// Decide about retrying.
        case decide(attempt: Int)
        /// Prepare that attempt after the delay.
        case wait(attempt: Int)
        /// Notify everyone that the request is over: the one terminal action.
        case finish(cancelsExchange: Bool)
    }

    private(set) var state = Request.State.initialized
    private(set) var stage = Stage.idle
    /// Counts from 0; an answer that belongs to an earlier attempt is of no interest.
    private(set) var attempt = 0
    /// `true` if an end waits until the body was moved.
    private var isEndDeferred = false

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
        guard stage != .over, !isEndDeferred else { return .none }
        let cancelsExchange = stage == .exchanging
        state = .cancelled
        if stage == .delivering { return deferEnd() }
        stage = .over
        return .finish(cancelsExchange: cancelsExchange)
    }

    /// The time is up.
    mutating func expire() -> Action {
        guard stage != .over, !isEndDeferred else { return .none }
        let cancelsExchange = stage == .exchanging
        if state != .cancelled { state = .finished }
        if stage == .delivering { return deferEnd() }
        stage = .over
        return .finish(cancelsExchange: cancelsExchange)
    }

    /// Cancels, and lets an exchange come to its end first, for what can still be made of it.
    mutating func cancelAtEnd() -> Action {
        guard stage == .exchanging else { return cancel() }
        guard state != .cancelled else { return .none }
        state = .cancelled
        return .cancelExchange
    }

    /// The `URLRequest` of an attempt is ready to be sent.
    mutating func prepared(attempt prepared: Int) -> Action {
        guard stage == .preparing, prepared == attempt else { return .none }
        stage = isHeld ? .prepared : .exchanging
        return isHeld ? .none : .start
    }

    /// The `URLRequest` of an attempt could not be made.
    mutating func preparationFailed(attempt failed: Int) -> Action {
        guard stage == .preparing, failed == attempt else { return .none }
        stage = .deciding
        return .decide(attempt: attempt)
    }

    private mutating func deferEnd() -> Action {
        isEndDeferred = true
        return .deferEnd
    }

    /// The body is about to be moved to its destination; `false` when the request is over, or about to be.
    mutating func beginDelivery() -> Bool {
        guard stage == .exchanging, state != .cancelled else { return false }
        stage = .delivering
        return true
    }

    /// The body was moved, or could not be.
    mutating func endDelivery() -> Action {
        guard stage == .delivering else { return .none }
        stage = isEndDeferred ? .over : .exchanging
        return isEndDeferred ? .finish(cancelsExchange: true) : .none
    }

    /// The transport has reported the end of what it was given.
    mutating func exchangeEnded() -> Action {
        guard stage == .exchanging else { return .none }
        guard state != .cancelled else {
            stage = .over
            return .finish(cancelsExchange: false)
        }
        stage = .deciding
        return .decide(attempt: attempt)
    }

    /// No further attempt is wanted.
    mutating func decidedToFinish(attempt decided: Int) -> Action {
        guard stage == .deciding, decided == attempt else { return .none }
        state = .finished
        stage = .over
        return .finish(cancelsExchange: false)
    }

    /// Another attempt is wanted.
    mutating func decidedToRetry(attempt decided: Int) -> Action {
        guard stage == .deciding, decided == attempt else { return .none }
        attempt += 1
        stage = .waiting
        return .wait(attempt: attempt)
    }

    /// The delay before an attempt is over.
    mutating func waited(attempt due: Int) -> Action {
        guard stage == .waiting, due == attempt else { return .none }
        stage = .preparing
        return .prepare(attempt: attempt)
    }
}
