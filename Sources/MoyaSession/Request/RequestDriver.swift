import Foundation
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

    private func act(on action: RequestStateMachine.Action) {
        switch action {
        case .none: break
        case .prepare(let attempt): prepare(attempt)
        case .start: startExchange()
        case .resumeExchange: currentExchange?.resume()
        case .pauseExchange: currentExchange?.pause()
        case .decide(let attempt): decide(attempt)
        case .wait(let attempt): perform { $0.machine.waited(attempt: attempt) }
        case .finish(let cancelsExchange): finish(cancelsExchange: cancelsExchange)
        }
    }

    private var currentExchange: (any TransportExchange)? { guarded.withLock { $0.exchange } }

    // MARK: Preparing

    private func prepare(_ attempt: Int) {
        if attempt == 0 { core.register(self) }
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
            case .success(let adapted): completePreparation(attempt, adapted, isAdapted: true)
            case .failure(let error): failPreparation(attempt, error)
            }
        }.run(urlRequest)
    }

    private func completePreparation(_ attempt: Int, _ adapted: URLRequest, isAdapted: Bool) {
        let (isOver, observer) = guarded.withLock { ($0.machine.isOver, $0.observer) }
        guard !isOver else { return }
        let urlRequest = observer?.prepare(adapted) ?? adapted
        if isAdapted || observer != nil { guarded.withLock { $0.requests.append(urlRequest) } }
        observer?.willSend(self)
        guard preparesBodyOnQueue, !deliversInline else {
            return makeExchange(attempt, urlRequest, isAdapted: isAdapted)
        }
        core.rootQueue.async { self.makeExchange(attempt, urlRequest, isAdapted: isAdapted) }
    }

    private func makeExchange(_ attempt: Int, _ prepared: URLRequest, isAdapted: Bool) {
        var urlRequest = prepared
        do throws(SessionError) {
            let body = try makeBody(for: &urlRequest)
            try check(urlRequest, isAdapted: isAdapted)
            let url = urlRequest.url
            let pending = core.transportRequest(for: urlRequest, body: body)
            perform { guarded in
                let action = guarded.machine.prepared(attempt: attempt)
                // Prepared too late, it would only keep its body alive.
                if !guarded.machine.isOver {
                    guarded.pending = pending
                    guarded.exchangeURL = url
                }
                return action
            }
        } catch {
            failPreparation(attempt, error)
        }
    }

    /// Refuses what must not be sent; what never reaches the network is not looked at.
    private func check(_ urlRequest: URLRequest, isAdapted: Bool) throws(SessionError) {
        guard guarded.withLock({ $0.transport == nil }) else { return }
        if let error = core.defaultFieldsError { throw error }
        do {
            try RequestValidation.validate(urlRequest)
        } catch {
            let error = (error as? SessionError) ?? .createURLRequestFailed(error: error)
            throw isAdapted ? .requestAdaptationFailed(error: error) : error
        }
    }

    private func failPreparation(_ attempt: Int, _ error: SessionError) {
        perform { guarded in
            let action = guarded.machine.preparationFailed(attempt: attempt)
            if action != .none { guarded.error = error }
            return action
        }
    }
}
