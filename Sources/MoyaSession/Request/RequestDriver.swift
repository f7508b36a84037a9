import Foundation
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The driver: takes each event to the state machine under the lock and does what the machine answers after unlocking.
extension Request {
    /// Feeds an event to the machine and acts on its answer.
    func perform(_ event: (inout sending Guarded) -> RequestStateMachine.Action) {
        act(on: guarded.withLock { event(&$0) })
    }

    /// The same for what a caller asks for, which monitors hear of when it makes a difference.
    func change(_ report: RequestEvent, _ event: (inout sending Guarded) -> RequestStateMachine.Action) {
        guard core.monitor != nil else { return perform(event) }
        let (action, hasChanged) = guarded.withLock { guarded in
            let before = guarded.machine.state
            let action = event(&guarded)
            return (action, guarded.machine.state != before)
        }
        if hasChanged { self.report(report) }
        act(on: action)
    }

    /// Tells the monitors, where there are any.
    func report(_ event: @autoclosure () -> RequestEvent) { core.monitor?.receive(event(), of: self) }

    /// Tells the monitors about the attempt under way.
    func reportTask(_ event: (RequestAttempt) -> RequestEvent) {
        guard let monitor = core.monitor else { return }
        let attempt = guarded.withLock { guarded in
            guarded.attemptRequest.map { RequestAttempt(number: guarded.machine.attempt, urlRequest: $0) }
        }
        if let attempt { monitor.receive(event(attempt), of: self) }
    }

    func act(on action: RequestStateMachine.Action) {
        switch action {
        case .none: break
        case .prepare(let attempt): prepare(attempt)
        case .start: startAttempt()
        case .resumeExchange: resumeExchange()
        case .pauseExchange:
            reportTask { .didSuspendTask($0) }
            currentExchange?.pause()
        case .cancelExchange:
            reportTask { .didCancelTask($0) }
            currentExchange?.cancel()
        case .decide(let attempt): decide(attempt)
        case .wait(let attempt): perform { $0.machine.waited(attempt: attempt) }
        case .finish(let cancelsExchange): finish(cancelsExchange: cancelsExchange)
        }
    }

    private var currentExchange: (any TransportExchange)? { guarded.withLock { $0.exchange } }

    private func resumeExchange() {
        reportTask { .didResumeTask($0) }
        // A handler that is still thinking about the response resumes it by its answer.
        guarded.withLock { $0.disposition == .awaited ? nil : $0.exchange }?.resume()
    }

    private func startAttempt() {
        if core.monitor != nil {
            guarded.withLock { $0.attemptRequest = $0.requests.last }
            reportTask { .didCreateTask($0) }
            reportTask { .didResumeTask($0) }
        }
        startExchange()
    }

    // MARK: Preparing

    private func prepare(_ attempt: Int) {
        if attempt == 0 {
            core.register(self)
            let isOver = guarded.withLock { guarded in
                guarded.deadline = core.deadline(own: guarded.timeouts)
                return guarded.machine.isOver
            }
            // Cancelled on the way here, it has left the session before it was entered.
            if isOver { return core.unregister(self) }
        }
        guard let queue = core.preparationQueue else { return build(attempt) }
        queue.async { self.build(attempt) }
    }

    private func build(_ attempt: Int) {
        var built: URLRequest
        do {
            built = try convertible.asURLRequest()
        } catch {
            return failPreparation(attempt, (error as? SessionError) ?? .createURLRequestFailed(error: error))
        }
        complete(&built)
        let urlRequest = built
        guarded.withLock { $0.requests.append(urlRequest) }
        report(.didCreateInitialURLRequest(urlRequest))
        do throws(SessionError) {
            try check(urlRequest, isAdapted: false)
        } catch {
            return failPreparation(attempt, error)
        }

        let adapters: [any RequestAdapter] = [core.interceptor, interceptor].compactMap(\.self)
        guard !adapters.isEmpty else { return completePreparation(attempt, urlRequest, isAdapted: false) }
        guard let session = core.session else { return failPreparation(attempt, .sessionDeinitialized) }
        let state = RequestAdapterState(request: self, session: session)
        AdaptationChain(adapters: adapters, state: state) { [self] result in
            switch result {
            case .success(let adapted):
                report(.didAdaptURLRequest(initial: urlRequest, adapted: adapted))
                completePreparation(attempt, adapted, isAdapted: true)
            case .failure(let error):
                report(.didFailToAdaptURLRequest(urlRequest, error))
                failPreparation(attempt, error, isReported: true)
            }
        }.run(urlRequest)
        watchDeadline(in: .preparing, of: attempt)
    }

    private func completePreparation(_ attempt: Int, _ adapted: URLRequest, isAdapted: Bool) {
        let (isOver, observer) = guarded.withLock { ($0.machine.isOver, $0.observer) }
        guard !isOver else { return }
        let urlRequest = observer?.prepare(adapted) ?? adapted
        if isAdapted || observer != nil { guarded.withLock { $0.requests.append(urlRequest) } }
        observer?.willSend(self)
        guard preparesBodyOnQueue, !deliversInline else {
            return makeExchange(attempt, urlRequest, isAdapted: isAdapted, isChecked: !isAdapted && observer == nil)
        }
        core.rootQueue.async { self.makeExchange(attempt, urlRequest, isAdapted: isAdapted, isChecked: false) }
    }

    /// - Parameter isChecked: Whether the request is as it was when it was found fit to be sent.
    private func makeExchange(_ attempt: Int, _ prepared: URLRequest, isAdapted: Bool, isChecked: Bool) {
        var urlRequest = prepared
        do throws(SessionError) {
            let body = try makeBody(for: &urlRequest)
            if !isChecked || isUpload { try check(urlRequest, isAdapted: isAdapted) }
            report(.didCreateURLRequest(urlRequest))
            if isUpload { report(.didCreateUploadable) }
            if isUpload, case .stream = body { report(.didProvideInputStream) }
            let url = urlRequest.url
            let (own, deadline, isCarried) = guarded.withLock { ($0.timeouts, $0.deadline, $0.transport != nil) }
            let pending = core.transportRequest(
                for: urlRequest, body: body, own: own, deadline: deadline, isCarried: isCarried)
            var heldUntil: Deadline?
            perform { guarded in
                let action = guarded.machine.prepared(attempt: attempt)
                if guarded.machine.stage == .prepared { heldUntil = guarded.deadline }
                // Prepared too late, it would only keep its body alive.
                if !guarded.machine.isOver {
                    guarded.pending = pending
                    guarded.exchangeURL = url
                    guarded.originURL = url
                }
                return action
            }
            if let heldUntil { core.watch(heldUntil) }
        } catch {
            let isOfBody = isUpload && error.isAboutABody
            if isOfBody { report(.didFailToCreateUploadable(error)) }
            failPreparation(attempt, error, isReported: isOfBody)
        }
    }

    /// Refuses what must not be sent; what never reaches the network is not looked at.
    func check(_ urlRequest: URLRequest, isAdapted: Bool) throws(SessionError) {
        guard guarded.withLock({ $0.transport == nil }) else { return }
        if let refusal = core.refusal { throw refusal }
        do {
            try RequestValidation.validate(urlRequest)
        } catch {
            let error = (error as? SessionError) ?? .createURLRequestFailed(error: error)
            throw isAdapted ? .requestAdaptationFailed(error: error) : error
        }
    }

    private func failPreparation(_ attempt: Int, _ error: SessionError, isReported: Bool = false) {
        if !isReported { report(.didFailToCreateURLRequest(error)) }
        perform { guarded in
            let action = guarded.machine.preparationFailed(attempt: attempt)
            if action != .none { guarded.error = error }
            return action
        }
    }

    // MARK: Deadlines

    /// When the request has to be over.
    var deadline: Deadline? { guarded.withLock { $0.deadline } }

    /// Sees to it that a request which still waits for somebody's answer does not wait beyond its deadline.
    func watchDeadline(in stage: RequestStateMachine.Stage, of attempt: Int) {
        let deadline = guarded.withLock { guarded in
            guarded.machine.stage == stage && guarded.machine.attempt == attempt ? guarded.deadline : nil
        }
        if let deadline { core.watch(deadline) }
    }

    /// Ends the request because its time is up.
    func expire() {
        perform { guarded in
            let awaited = guarded.machine.stage.awaited
            let action = guarded.machine.expire()
            if action != .none {
                let failure = TransportFailure(
                    .timeout(.total), message: "The request was not over at its deadline; \(awaited)")
                guarded.error = SessionError(transportFailure: failure, url: guarded.requests.last?.url)
            }
            return action
        }
    }
}

extension SessionError {
    /// Whether it is the body that could not be made.
    fileprivate var isAboutABody: Bool {
        switch self {
        case .createUploadableFailed, .multipartEncodingFailed, .urlRequestValidationFailed(.uploadFileNotReadable):
            true
        default: false
        }
    }
}

extension RequestStateMachine.Stage {
    /// What a request in this stage waits for.
    fileprivate var awaited: String {
        switch self {
        case .preparing: "a request adapter has not called its completion."
        case .deciding: "a request retrier has not called its completion."
        case .waiting: "it waited for its next attempt."
        case .prepared: "it was held back by suspend()."
        case .idle, .exchanging, .over: "it waited for an answer."
        }
    }
}
