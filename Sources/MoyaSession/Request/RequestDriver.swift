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
            guarded.withLock { $0.attemptRequest = $0.lastRequest }
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
        if case .plain(let plain) = recipe, buildPlain(plain, attempt) { return }
        var built: URLRequest
        do {
            built = try recipe.urlRequest()
        } catch {
            return failPreparation(attempt, (error as? SessionError) ?? .createURLRequestFailed(error: error))
        }
        complete(&built)
        let urlRequest = built
        let terms = guarded.withLock { guarded in
            guarded.requests.append(.made(urlRequest))
            return AttemptTerms(guarded)
        }
        report(.didCreateInitialURLRequest(urlRequest))
        do throws(SessionError) {
            if !terms.isCarried { try check(urlRequest, isAdapted: false) }
        } catch {
            return failPreparation(attempt, error)
        }
        guard !interceptors.isEmpty else { return completePreparation(attempt, urlRequest, terms, isAdapted: false) }
        adapt(urlRequest, of: attempt)
    }

    /// Makes ready what needs no `URLRequest`, as nobody looks at the request on its way; `false` when somebody does.
    private func buildPlain(_ plain: PlainRequest, _ attempt: Int) -> Bool {
        guard core.monitor == nil, interceptors.isEmpty else { return false }
        let terms = guarded.withLock { guarded -> AttemptTerms? in
            guard guarded.observer == nil else { return nil }
            guarded.requests.append(.plain(plain))
            return AttemptTerms(guarded)
        }
        guard let terms else { return false }
        guard !terms.isOver else { return true }
        do throws(SessionError) {
            if !terms.isCarried {
                if let refusal = core.refusal { throw refusal }
                try RequestValidation.validate(plain)
            }
            let pending = core.transportRequest(
                for: plain, own: terms.timeouts, deadline: terms.deadline, isCarried: terms.isCarried)
            begin(attempt, pending, to: .text(plain.url))
        } catch {
            failPreparation(attempt, error)
        }
        return true
    }

    private func adapt(_ urlRequest: URLRequest, of attempt: Int) {
        guard let session = core.session else { return failPreparation(attempt, .sessionDeinitialized) }
        let state = RequestAdapterState(request: self, session: session)
        AdaptationChain(adapters: interceptors, state: state) { [self] result in
            switch result {
            case .success(let adapted):
                report(.didAdaptURLRequest(initial: urlRequest, adapted: adapted))
                completePreparation(attempt, adapted, guarded.withLock { AttemptTerms($0) }, isAdapted: true)
            case .failure(let error):
                report(.didFailToAdaptURLRequest(urlRequest, error))
                failPreparation(attempt, error, isReported: true)
            }
        }.run(urlRequest)
        watchDeadline(in: .preparing, of: attempt)
    }

    private func completePreparation(
        _ attempt: Int, _ adapted: URLRequest, _ terms: AttemptTerms, isAdapted: Bool
    ) {
        guard !terms.isOver else { return }
        var (urlRequest, terms) = (adapted, terms)
        if let observer = terms.observer {
            urlRequest = observer.prepare(adapted)
            guarded.withLock { [urlRequest] in $0.requests.append(.made(urlRequest)) }
            // May look at the request, and set bounds of its own.
            observer.willSend(self)
            terms = guarded.withLock { AttemptTerms($0) }
        } else if isAdapted {
            guarded.withLock { $0.requests.append(.made(adapted)) }
        }
        guard preparesBodyOnQueue, !deliversInline else {
            let isChecked = !isAdapted && terms.observer == nil
            return makeExchange(attempt, urlRequest, terms, isAdapted: isAdapted, isChecked: isChecked)
        }
        core.rootQueue.async { [urlRequest, terms] in
            self.makeExchange(attempt, urlRequest, terms, isAdapted: isAdapted, isChecked: false)
        }
    }

    /// - Parameter isChecked: Whether the request is as it was when it was found fit to be sent.
    private func makeExchange(
        _ attempt: Int, _ prepared: URLRequest, _ terms: AttemptTerms, isAdapted: Bool, isChecked: Bool
    ) {
        var urlRequest = prepared
        do throws(SessionError) {
            let body = try makeBody(for: &urlRequest)
            if !isChecked || isUpload, !terms.isCarried { try check(urlRequest, isAdapted: isAdapted) }
            report(.didCreateURLRequest(urlRequest))
            if isUpload { report(.didCreateUploadable) }
            if isUpload, case .stream = body { report(.didProvideInputStream) }
            let pending = core.transportRequest(
                for: urlRequest, body: body, own: terms.timeouts, deadline: terms.deadline,
                isCarried: terms.isCarried)
            begin(attempt, pending, to: urlRequest.url.map { .made($0) })
        } catch {
            let isOfBody = isUpload && error.isAboutABody
            if isOfBody { report(.didFailToCreateUploadable(error)) }
            failPreparation(attempt, error, isReported: isOfBody)
        }
    }

    /// Hands the request of an attempt to the transport, or keeps it until the request is resumed.
    private func begin(_ attempt: Int, _ pending: TransportRequest, to url: ExchangeURL?) {
        let hasMonitor = core.monitor != nil
        var start: Guarded.ExchangeStart?
        var heldUntil: Deadline?
        let action = guarded.withLock { guarded in
            let action = guarded.machine.prepared(attempt: attempt)
            let isHeld = guarded.machine.stage == .prepared
            // Prepared too late, it would only keep its body alive.
            guard action == .start || isHeld else { return action }
            guarded.exchangeURL = url
            guarded.origin = url
            if isHeld { heldUntil = guarded.deadline }
            if isHeld || hasMonitor { guarded.pending = pending } else { start = guarded.beginExchange(pending) }
            return action
        }
        if let start { return startExchange(start) }
        act(on: action)
        if let heldUntil { core.watch(heldUntil) }
    }

    /// Refuses what must not be sent.
    func check(_ urlRequest: URLRequest, isAdapted: Bool) throws(SessionError) {
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
                guarded.error = SessionError(transportFailure: failure, url: guarded.lastRequest?.url)
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

/// What holds for an attempt, as it is when it begins.
struct AttemptTerms {
    let isOver: Bool
    let observer: (any RequestObserver)?
    /// The request's own bounds.
    let timeouts: RequestTimeouts?
    let deadline: Deadline?
    /// Whether another transport than the session's takes the request, which then never reaches the network.
    let isCarried: Bool

    init(_ guarded: borrowing Request.Guarded) {
        isOver = guarded.machine.isOver
        observer = guarded.observer
        timeouts = guarded.timeouts
        deadline = guarded.deadline
        isCarried = guarded.transport != nil
    }
}
