import Foundation
import MoyaSession
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One call of a provider: from the request closure's answer to the completion, which comes exactly once.
///
/// It holds all that the call needs, and not the provider, whose release is to end the call.
final class ProviderCall: ActiveCall {
    /// How the end of a call reaches whoever waits for it.
    private enum Delivery {
        /// On the main queue, of which every mention makes an object on Linux.
        case main
        /// On a queue.
        case queue(DispatchQueue)
        /// Where it became known, which is where code of the user's may run.
        case inline
    }

    /// Who waits for the end of a call.
    private enum Caller {
        case completion(SendableCompletion)
        /// A task, which tells the plugins itself, off the transport's thread and with no queue between.
        case task(UnsafeContinuation<Void, Never>?)
    }

    /// How a call ended, and what is still to be done about it.
    enum Ended: Sendable {
        /// Everything.
        case request(Request, StubTransport?)
        /// The plugins have to hear of it and to process it.
        case received(Result<Response, MoyaError>)
        /// The plugins have to process it.
        case result(Result<Response, MoyaError>)
    }

    /// What the call begins with.
    struct Beginning {
        let endpoint: Endpoint
        let behavior: StubBehavior
        let session: Session
    }

    private struct State {
        var caller: Caller
        /// Until the request closure has answered.
        var beginning: Beginning?
        var delivery = Delivery.main
        /// Answers the call in place of a server.
        var stub: StubTransport?
        var isCancelled = false
        var isFinished = false
        /// Whether the request closure has answered.
        var hasRequest = false
        var request: Request?
        var stubToken: CancellableToken?
        /// How the call ended, from the moment that this is known until the caller has it.
        var ended: Ended?
        /// Why the call was cancelled, where that is not because its caller wanted it.
        var reason: MoyaError?
        var bytes: (completed: Int64, total: Int64?) = (0, nil)

        /// How a call stands that the request closure answers.
        enum Standing {
            case isWaiting
            case isCancelled
            /// It has answered before.
            case isAnswered
        }

        mutating func takeRequestAnswer() -> Standing {
            defer { hasRequest = true }
            return hasRequest ? .isAnswered : isCancelled ? .isCancelled : .isWaiting
        }

        /// Takes the end of the call; `nil` unless it is the first.
        mutating func take(_ ended: Ended) -> Caller? {
            guard !isFinished else { return nil }
            isFinished = true
            request = nil
            stub = nil
            stubToken = nil
            if case .task = caller { self.ended = ended }
            return caller
        }
    }

    /// What is called; `nil` where nobody asks.
    private let target: (any TargetType)?
    let queue: DispatchQueue?
    let progress: SendableProgressBlock?
    private let plugins: [any PluginType]
    private let processes: Bool
    private let calls: ActiveCalls<ProviderCall>?
    /// Under the lock of ``calls``.
    nonisolated(unsafe) var place: Int?
    /// Of the task that waits for the call.
    let priority: TaskPriority
    private let timeouts: RequestTimeouts?
    private let impending: ImpendingCall?
    private let state: Mutex<State>

    /// Makes a call that ends with a completion.
    ///
    /// - Parameter processes: Whether the plugins process the result before the completion gets it.
    init(
        target: (any TargetType)?, plugins: [any PluginType], queue: DispatchQueue?, progress: SendableProgressBlock?,
        processes: Bool = true, calls: ActiveCalls<ProviderCall>, completion: @escaping SendableCompletion
    ) {
        self.target = target
        self.plugins = plugins
        self.queue = queue
        self.progress = progress
        self.processes = processes
        self.calls = calls
        priority = .medium
        timeouts = nil
        impending = nil
        state = Mutex(State(caller: .completion(completion)))
        calls.insert(self)
    }

    /// Makes a call that a task waits for.
    convenience init(awaited target: any TargetType, plugins: [any PluginType]) {
        self.init(attemptAt: target, plugins: plugins, queue: nil, progress: nil, timeouts: nil, impending: nil)
    }

    /// Makes an attempt at a call that passes layers, which a task waits for.
    ///
    /// - Parameters:
    ///   - progress: Called as bytes move, and not at the end, which may not be that of the call.
    ///   - timeouts: Bound the attempt, in place of the session's bounds.
    ///   - impending: What plugins want of the session's request that it is sent as.
    init(
        attemptAt target: any TargetType, plugins: [any PluginType], queue: DispatchQueue?,
        progress: SendableProgressBlock?, timeouts: RequestTimeouts?, impending: ImpendingCall?
    ) {
        self.target = target
        self.plugins = plugins
        self.queue = queue
        self.progress = progress
        self.timeouts = timeouts
        self.impending = impending
        processes = false
        calls = nil
        priority = _Concurrency.Task.currentPriority
        state = Mutex(State(caller: .task(nil)))
    }

    /// Takes what the task waits with; `false` when the task was cancelled before, and the call is over.
    func resume(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        let isCancelled = state.withLock { state in
            state.caller = .task(continuation)
            return state.isCancelled
        }
        if isCancelled { end(.received(.failure(.cancelled))) }
        return !isCancelled
    }

    // MARK: Cancelling

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() { cancel(because: nil) }

    /// Ends the call with an error that says why, where there is one.
    func cancel(because reason: MoyaError?) {
        let (request, token, endsNow) = state.withLock { state in
            state.isCancelled = true
            state.reason = state.reason ?? reason
            // Nothing begins any more, whatever the request closure may answer.
            state.beginning = nil
            // A completion waits for the request closure, as it always has; a cancelled task should not.
            var endsNow = false
            if case .task(_?) = state.caller { endsNow = !state.hasRequest }
            return (state.request, state.stubToken, endsNow)
        }
        request?.cancel()
        token?.cancel()
        if endsNow { end(.received(.failure(.cancelled))) }
    }

    // MARK: Beginning

    /// Asks for the request of the call and sends it, to the network or to its stub.
    func begin(
        _ beginning: Beginning,
        by requestClosure: (Endpoint, @escaping @Sendable (Result<URLRequest, MoyaError>) -> Void) -> Void
    ) {
        state.withLock { $0.beginning = beginning }
        // Captures the call alone, and so takes no memory.
        requestClosure(beginning.endpoint) { self.go(on: $0) }
    }

    private func go(on answer: Result<URLRequest, MoyaError>) {
        let (standing, beginning) = state.withLock { ($0.takeRequestAnswer(), $0.beginning.take()) }
        // Without it the call was cancelled, and is over with this answer.
        guard let request = take(answer, standing), let beginning else { return }
        let endpoint = beginning.endpoint
        guard beginning.behavior.isStub else { return send(request, endpoint.task, in: beginning.session) }
        stub(request, as: beginning.behavior, with: endpoint, in: beginning.session)
    }

    /// Takes the request closure's answer; `nil` when the call is over with it.
    ///
    /// Only the first answer counts.
    func take(_ result: Result<URLRequest, MoyaError>) -> URLRequest? {
        take(result, state.withLock { $0.takeRequestAnswer() })
    }

    private func take(_ result: Result<URLRequest, MoyaError>, _ standing: State.Standing) -> URLRequest? {
        switch standing {
        case .isAnswered: return nil
        case .isCancelled:
            end(.received(.failure(.cancelled)))
            return nil
        case .isWaiting: break
        }
        switch result {
        case .success(let request): return request
        case .failure(let error):
            end(.result(.failure(error)))
            return nil
        }
    }

    /// Sends the request over the session.
    func send(_ urlRequest: URLRequest, _ task: RequestTask, in session: Session) {
        do {
            let request = try task.request(urlRequest, target: target, in: session)
            let delivery = queue.map { Delivery.queue($0) } ?? .main
            observeProgress(of: request, isUpload: task.isUpload, delivery)
            launch(request, delivery: delivery, sample: nil, accepting: target?.validationType)
        } catch {
            end(.received(.failure(error)))
        }
    }

    /// Has the request answered by its sample, through everything else that a call passes.
    func stub(_ urlRequest: URLRequest, as behavior: StubBehavior, with endpoint: Endpoint, in session: Session) {
        guard behavior.isStub else {
            return end(.received(.failure(.underlying(TargetError.stubBehaviorIsNever, nil))))
        }
        let transport = StubTransport(behavior: behavior, sample: endpoint.sampleResponseClosure)
        let request = session.request(urlRequest, interceptor: nil)
        let delivery = delivery(ofStub: behavior)
        observeProgress(of: request, isUpload: endpoint.task.isUpload, delivery)
        launch(request, delivery: delivery, sample: transport, accepting: target?.validationType)
    }

    private func delivery(ofStub behavior: StubBehavior) -> Delivery {
        queue.map { .queue($0) } ?? (behavior.isImmediate ? .inline : .main)
    }

    /// Sends what needs neither an endpoint nor a `URLRequest`, to the network or to its stub.
    ///
    /// - Parameters:
    ///   - validationType: Which status codes the target accepts.
    ///   - sample: Gives the sample response of a stub.
    func begin(
        _ plain: PlainRequest, _ behavior: StubBehavior, in session: Session, accepting validationType: ValidationType,
        sample: @autoclosure () -> Endpoint.SampleResponseClosure
    ) {
        if case .isCancelled = state.withLock({ $0.takeRequestAnswer() }) {
            return end(.received(.failure(.cancelled)))
        }
        let stub = behavior.isStub ? StubTransport(behavior: behavior, sample: sample()) : nil
        let request = session.request(plain: plain)
        let delivery = stub == nil ? queue.map { .queue($0) } ?? .main : delivery(ofStub: behavior)
        observeProgress(of: request, isUpload: false, delivery)
        launch(request, delivery: delivery, sample: stub, accepting: validationType)
    }

    /// Remembers what cancels a stub that a subclass of the provider made.
    func isStubbed(by token: CancellableToken) {
        let isCancelled = state.withLock { state in
            state.stubToken = token
            return state.isCancelled
        }
        if isCancelled { token.cancel() }
    }

    private func launch(
        _ request: Request, delivery: Delivery, sample: StubTransport?, accepting validationType: ValidationType?
    ) {
        if let timeouts { request.timeouts(timeouts) }
        impending?.pass(to: request)
        request.join(
            self, observes: !plugins.isEmpty, accepting: validationType?.acceptableStatusCodes,
            carriedBy: sample)
        let isCancelled = state.withLock { state in
            state.delivery = delivery
            state.stub = sample
            state.request = request
            return state.isCancelled
        }
        if isCancelled { request.cancel() } else { request.resume() }
    }

    private func observeProgress(of request: Request, isUpload: Bool, _ delivery: Delivery) {
        guard let progress else { return }
        let report: @Sendable (Int64, Int64?) -> Void = { [self] completed, total in
            state.withLock { $0.bytes = (completed, total) }
            let event = ProgressResponse(completed: completed, total: total)
            switch delivery {
            case .inline: progress(event)
            case .main: DispatchQueue.main.async { progress(event) }
            case .queue(let queue): queue.async { progress(event) }
            }
        }
        if isUpload { request.onSentBytes(report) } else { request.onReceivedBytes(report) }
    }

    // MARK: Ending

    private var isAwaited: Bool { calls == nil }

    /// Ends the call with a result that the plugins have heard of.
    func finish(with result: Result<Response, MoyaError>) { end(.result(result)) }

    /// Ends the call, once.
    private func end(_ ended: Ended) {
        conclude(ended, for: state.withLock { $0.take(ended) })
    }

    private func conclude(_ ended: Ended, for caller: Caller?) {
        calls?.remove(self)
        switch caller {
        case .task(_?):
            if let turn = DeliveryTurn.current { turn.put(self) } else { deliver() }
        case .completion(let completion): completion(result(of: ended))
        case .task(nil), nil: break
        }
    }

    /// What a task gets that was resumed.
    func awaitedResult() -> Result<Response, MoyaError> {
        let ended = state.withLock { state in
            defer { state.ended = nil }
            return state.ended
        }
        return result(of: ended ?? .received(.failure(.cancelled)))
    }

    /// What the caller gets, after the plugins were told what they have not been told yet.
    private func result(of ended: Ended) -> Result<Response, MoyaError> {
        let result: Result<Response, MoyaError>
        switch ended {
        case .request(let request, let stub):
            let sample = stub?.delivered
            var known: Result<Response, MoyaError>?
            request.withOutcome { known = $0.result(sample: sample) }
            result = received(explained(known ?? .failure(.cancelled)))
        case .received(let known): result = received(known)
        case .result(let known): result = known
        }
        guard let target, processes || isAwaited else { return result }
        return plugins.process(result, target: target)
    }

    /// A cancelled end with the reason why, where one was given.
    private func explained(_ result: Result<Response, MoyaError>) -> Result<Response, MoyaError> {
        guard case .failure(.underlying(SessionError.explicitlyCancelled, _)) = result else { return result }
        return state.withLock { $0.reason }.map { .failure($0) } ?? result
    }

    private func received(_ result: Result<Response, MoyaError>) -> Result<Response, MoyaError> {
        if let target { for plugin in plugins { plugin.didReceive(result, target: target) } }
        if let progress, !isAwaited {
            let bytes = state.withLock { $0.bytes }
            progress(ProgressResponse(endOf: result, completed: bytes.completed, total: bytes.total))
        }
        return result
    }
}

extension ProviderCall: DeferredDelivery {
    /// Resumes the task, or has the completion called.
    func deliver() {
        let (caller, ended) = state.withLock { state -> (Caller, Ended?) in
            guard case .completion = state.caller else { return (state.caller, nil) }
            defer { state.ended = nil }
            return (state.caller, state.ended)
        }
        if case .task(let continuation) = caller { continuation?.resume() }
        if let ended { end(ended) }
    }
}

extension ProviderCall: RequestEndObserver {
    func didEnd(_ request: Request) {
        let (delivery, ended, caller) = state.withLock { state -> (Delivery, Ended, Caller?) in
            let ended = Ended.request(request, state.stub.take())
            let delivery = isAwaited ? .inline : state.delivery
            if case .inline = delivery { return (delivery, ended, state.take(ended)) }
            return (delivery, ended, nil)
        }
        switch delivery {
        case .inline: conclude(ended, for: caller)
        case .queue(let queue): queue.async { self.end(ended) }
        case .main:
            guard let turn = DeliveryTurn.current else { return DispatchQueue.main.async { self.end(ended) } }
            state.withLock { $0.ended = ended }
            turn.putOnMainQueue(self)
        }
    }
}

extension ProviderCall: RequestObserver {
    func prepare(_ urlRequest: URLRequest) -> URLRequest {
        guard let target else { return urlRequest }
        return plugins.reduce(urlRequest) { $1.prepare($0, target: target) }
    }

    func willSend(_ request: Request) {
        guard let target else { return }
        for plugin in plugins { plugin.willSend(request, target: target) }
    }
}

extension [any PluginType] {
    /// What the plugins, in order, make of a result.
    func process(_ result: Result<Response, MoyaError>, target: any TargetType) -> Result<Response, MoyaError> {
        reduce(result) { $1.process($0, target: target) }
    }
}
