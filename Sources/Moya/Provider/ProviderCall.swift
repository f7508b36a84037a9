import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A call of a provider; it delivers its result to the consumer exactly once.
///
/// The call retains everything that it needs, and until its end the provider. An attempt of a call with middleware is
/// also a `ProviderCall`, with the call as its ``parent``.
final class ProviderCall: Cancellable {
    /// The receiver of a result.
    enum Consumer: Sendable {
        case completion(SendableCompletion)
        /// A task, which notifies the plugins itself, off the transport's thread and without a queue.
        case task(UnsafeContinuation<Void, Never>?)
        /// The callers of equal calls, in the order in which they called.
        case callers([CoalescedCaller])
    }

    /// The end of a call, with the remaining work.
    enum Ended: Sendable {
        /// The plugins have to be notified and have to process the result of a request.
        case request(Request, StubTransport?)
        /// The plugins have to be notified of the result and have to process it.
        case received(Result<Response, MoyaError>)
        /// The plugins only have to process the result: a subclass's stub has notified them, or there was no request.
        case unreceived(Result<Response, MoyaError>)
        /// The plugins have already processed the result.
        case final(Result<Response, MoyaError>)
    }

    /// The endpoint of a call and the objects that send its request or stub its response; a class, because many methods
    /// pass it on.
    final class SendContext: Sendable {
        let endpoint: Endpoint
        let behavior: StubBehavior
        let session: Session
        /// Makes a subclass's stub; `nil` for the default one.
        let stubbing: (@Sendable (ProviderCall, URLRequest) -> Void)?
        /// The pace of a streamed stub; `nil` for a sample that is delivered whole.
        let pace: SamplePace?
        /// The refresh in which the call is made; its request may be known in another task, or on another queue.
        let refreshScope: RefreshScope?
        /// `true` if that refresh had not ended then; a later attempt may have the same refresh token.
        let isOfRefresh: Bool

        init(
            endpoint: Endpoint, behavior: StubBehavior, session: Session,
            stubbing: (@Sendable (ProviderCall, URLRequest) -> Void)?, pace: SamplePace? = nil,
            refreshScope: RefreshScope? = nil
        ) {
            self.endpoint = endpoint
            self.behavior = behavior
            self.session = session
            self.stubbing = stubbing
            self.pace = pace
            self.refreshScope = refreshScope
            isOfRefresh = refreshScope?.isRefreshing ?? false
        }

        /// Returns the context of a call that is made in a refresh.
        func within(_ scope: RefreshScope) -> SendContext {
            SendContext(
                endpoint: endpoint, behavior: behavior, session: session, stubbing: stubbing, pace: pace,
                refreshScope: scope)
        }
    }

    typealias Answer = Result<URLRequest, MoyaError>

    /// The queue on which a call reports its progress and its result.
    enum Delivery: Sendable {
        /// The main queue; a case, because every access to the main queue makes an object on Linux.
        case main
        /// A serial queue, if the call reports progress.
        case queue(DispatchQueue)
        /// The thread on which they become known, where user code may run.
        case inline
    }

    /// The passes of plugins that run around a call's middleware: one, or several if outer middleware repeats the call.
    struct PluginPasses: Sendable {
        /// The number of passes whose plugins were notified of the request, and not of the end.
        var open = 0
        /// The number of passes whose plugins are notified at this moment.
        var running = 0
        /// `true` if the plugins are notified of the stop of the call, or were.
        private(set) var isStopClaimed = false
        /// `true` if the stopped call ends once no plugins are notified.
        var awaitsIdleness = false

        /// Returns `true` for the first of those that would let the plugins process the stop: the call and its passes.
        mutating func claimStop() -> Bool {
            defer { isStopClaimed = true }
            return !isStopClaimed
        }
    }

    /// The execution context in which a call reports to its callers.
    struct ReportContext: Sendable {
        /// The queue of the call; `nil` for the main queue.
        let queue: DispatchQueue?
        /// `true` if the call reports on the thread on which the event became known, instead of the queue.
        let isInline: Bool
    }

    struct State {
        var consumer: Consumer
        /// The provider of a call with a completion, which may have no other owner; `nil` once the call is over.
        var provider: (any AnyObject & Sendable)?
        /// Receives the progress until the end, which releases it: it may retain the owner of the call.
        var progressBlock: SendableProgressBlock?
        /// `nil` once the request closure has answered.
        var context: SendContext?
        /// The delivery of events on all threads but the launching one.
        var delivery: Delivery
        /// The queue of ``delivery`` as the consumer knows it; `nil` for the main queue.
        var queue: DispatchQueue?
        /// The queue of the caller on which ``delivery`` depends; `nil` for the main queue.
        var callersQueue: DispatchQueue?
        /// The thread that launches an immediate stub without a queue, until that returns.
        var launcher: ThreadIdentity?
        /// `true` if ``ProviderCall/cancel()`` was called.
        var isCancelled = false
        /// The error that the call ends with, in place of its result.
        var stopped: MoyaError?
        /// The result that the plugins have made of ``stopped``, as that of an attempt.
        var processedStop: Result<Response, MoyaError>?
        /// The passes of plugins that run around the middleware, or without an attempt.
        var passes = PluginPasses()
        /// `true` if no further caller may join.
        var isAbandoned = false
        var isFinished = false
        /// `true` if an end is on its way to the consumer's queue.
        var isEnding = false
        /// `true` if the call passes its middleware, which notifies the plugins.
        var isInMiddleware = false
        /// `true` if the request closure has answered.
        var hasRequest = false
        /// `true` if a request or a stub was started, so that the end is the last event of the progress.
        var reportsEnd = false
        var request: Request?
        /// The downloaded file of an attempt; of a call with middleware, that of its last refused attempt.
        var download: DownloadedFile?
        /// Stubs the response of the server.
        var stub: StubTransport?
        /// Cancels a subclass's stub.
        var token: CancellableToken?
        /// `true` if the response must not cause the call to be made again, because a redirect led to it.
        var isFinal = false
        /// The attempt of a call with middleware that is under way.
        var attempt: ProviderCall?
        /// The task in which the call passes its middleware.
        var chain: _Concurrency.Task<Void, Never>?
        /// The context and the request that the awaiting task has to pass through the middleware.
        var parked: (SendContext, Answer)?
        /// The result, until the consumer receives it.
        var ended: Ended?
        var timers: (total: CallTimer?, attempt: CallTimer?)
        var bytes = EventCount()
        /// Progress that is on its way to the consumer's queue; one block takes all of it.
        var progress: [EventCount] = []

        /// The delivery of an event on the current thread.
        var deliveryHere: Delivery { launcher.map { $0.isCurrent } ?? false ? .inline : delivery }

        /// The end, with the error of a call that was stopped in place of its result.
        mutating func replacing(_ ended: Ended) -> Ended {
            guard let stopped else { return ended }
            switch ended {
            case .request, .received: return .received(.failure(stopped))
            case .unreceived: return .unreceived(.failure(stopped))
            case .final: return endOfStop(with: stopped)
            }
        }

        /// The end of a stopped call with middleware, whose plugins process the error unless a pass or an attempt has let
        /// them.
        private mutating func endOfStop(with error: MoyaError) -> Ended {
            if let processedStop { return .final(processedStop) }
            guard passes.claimStop() else { return .final(.failure(error)) }
            return passes.open > 0 ? .received(.failure(error)) : .unreceived(.failure(error))
        }

        /// The end of a stopped call that passes its middleware; `nil` if an end is on its way, or if plugins are
        /// notified at this moment, after which the call ends.
        mutating func endInMiddleware(with error: MoyaError) -> Ended? {
            guard !isEnding else { return nil }
            passes.awaitsIdleness = passes.running > 0
            return passes.awaitsIdleness ? nil : endOfStop(with: error)
        }

        /// Accepts the end of the call, unless it has already ended.
        mutating func take(_ ended: Ended) -> End? {
            guard !isFinished else { return nil }
            isFinished = true
            let ended = replacing(ended)
            // A task is resumed first, and takes its result then; other consumers are released with the end.
            let isAwaited = if case .task = consumer { true } else { false }
            let end = End(
                ended: isAwaited ? nil : ended, consumer: consumer, provider: provider.take(),
                progressBlock: progressBlock.take(), bytes: bytes, timers: timers, request: request.take(),
                stub: stub.take(), token: token.take())
            chain = nil
            timers = (nil, nil)
            progress = []
            if isAwaited { self.ended = ended } else { consumer = .task(nil) }
            return end
        }
    }

    /// The end of a call, and its state to release outside the lock.
    struct End: Sendable {
        /// The end for the consumer; `nil` if it is a task.
        let ended: Ended?
        let consumer: Consumer
        let provider: (any AnyObject & Sendable)?
        let progressBlock: SendableProgressBlock?
        let bytes: EventCount
        let timers: (total: CallTimer?, attempt: CallTimer?)
        let request: Request?
        let stub: StubTransport?
        let token: CancellableToken?
    }

    /// The target, as passed to the provider; `nil` if no code reads it.
    let target: (any TargetType)?
    let plugins: [any PluginType]
    let queue: DispatchQueue?
    /// `true` if somebody may receive the progress of the call.
    let isWatched: Bool
    /// The call of which this is an attempt.
    let parent: ProviderCall?
    /// The middleware and deadlines, if there are any.
    let route: CallRoute?
    /// The changes by plugins to the session's request.
    let unsent: UnsentRequest?
    /// The names of header fields that are not sent to other origins.
    let credentialFields: Set<String>
    /// `true` if only a cached response is acceptable, because there is no network.
    let isOffline: Bool
    /// `true` if a stored response must not answer, because it caused the retry.
    let reloads: Bool
    /// `true` if the result belongs to the call; `false` for a stub made for another call.
    let isWhole: Bool
    /// `true` if the call ends with the head of the response, and a reader receives its body.
    let isStreamed: Bool
    let coalescing: CoalescedCalls.Entry?
    /// The priority of the task that awaits the call.
    let priority: TaskPriority
    let state: Lock<State>

    /// `true` if the call has middleware, after which the plugins have processed its result.
    var passesMiddleware: Bool { route.map { !$0.middleware.isEmpty } ?? false }
    /// `true` if the middleware calls the plugins, around its attempts.
    private var placesPlugins: Bool { route?.placesPlugins ?? false }

    init(
        target: (any TargetType)?, plugins: [any PluginType], queue: DispatchQueue? = nil,
        progress: SendableProgressBlock? = nil, consumer: Consumer, parent: ProviderCall? = nil,
        route: CallRoute? = nil, unsent: UnsentRequest? = nil, credentialFields: Set<String> = [],
        isOffline: Bool = false, reloads: Bool = false, isWhole: Bool = true,
        isStreamed: Bool = false, coalescing: CoalescedCalls.Entry? = nil, provider: (any AnyObject & Sendable)? = nil
    ) {
        self.target = target
        self.plugins = plugins
        self.queue = queue
        self.parent = parent
        self.route = route
        self.unsent = unsent
        self.credentialFields = credentialFields
        self.isOffline = isOffline
        self.reloads = reloads
        self.isWhole = isWhole
        self.isStreamed = isStreamed
        self.coalescing = coalescing
        if case .task = consumer { priority = _Concurrency.Task.currentPriority } else { priority = .medium }
        isWatched = progress != nil || coalescing != nil
        let delivery = isWatched ? queue.map { DispatchQueue(inOrderOn: $0) } : queue
        state = Lock(
            State(
                consumer: consumer, provider: provider, progressBlock: progress,
                delivery: delivery.map { .queue($0) } ?? .main, queue: queue, callersQueue: queue))
    }

    // A request closure that never answers releases its call.
    deinit { coalescing?.removeReleased() }

    // MARK: Stopping

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The error of a call that was stopped early; `nil` otherwise.
    var stopped: MoyaError? { state.withLock { $0.stopped } }

    func cancel() { cancel(endsNow: false) }

    /// Ends the call as cancelled.
    ///
    /// - Parameter endsNow: `true` to end the call before its request is made. A completion waits for the request
    ///   closure, as in Moya 15; a task does not.
    func cancel(endsNow: Bool) {
        let error = parent?.stopped ?? .cancelled
        let (stop, attempt, endsNow) = state.withLock { state -> (Stop, ProviderCall?, Bool) in
            state.isCancelled = true
            state.stopped = error
            // The end of an attempt is that of the call; other work of the middleware may ignore its cancellation.
            if state.isInMiddleware { return (Stop(&state), state.attempt, state.attempt == nil) }
            var endsNow = endsNow
            if case .task(_?) = state.consumer { endsNow = true }
            return (Stop(&state), nil, endsNow && !state.hasRequest)
        }
        stop.perform()
        // Middleware may await it in another task.
        attempt?.cancel()
        if endsNow { arrive { $0.isInMiddleware ? $0.endInMiddleware(with: error) : .received(.failure(error)) } }
    }

    /// Ends the call with an error, unless it is over.
    func expire(with error: MoyaError) {
        let stopped = state.withLock { state -> (Stop, ProviderCall?)? in
            // A result that is on its way to the consumer came in time.
            guard !state.isFinished, !state.isEnding else { return nil }
            state.stopped = state.stopped ?? error
            return (Stop(&state), placesPlugins ? nil : state.attempt)
        }
        guard let (stop, attempt) = stopped else { return }
        stop.perform()
        // Its end is that of the call, after its plugins.
        if let attempt { return attempt.expire(with: error) }
        // Middleware and a subclass's stub may ignore their cancellation. The first may begin meanwhile.
        arrive { state in
            if state.isInMiddleware { return state.endInMiddleware(with: error) }
            return state.token == nil ? .received(.failure(error)) : .unreceived(.failure(error))
        }
    }

    /// Records the result that the plugins have made of an attempt's, if it is the error of a stopped call.
    func didProcess(_ result: Result<Response, MoyaError>) {
        state.withLock { if $0.stopped != nil { $0.processedStop = result } }
    }

    /// The objects to cancel after the lock of the call is released.
    private struct Stop: Sendable {
        let request: Request?
        let token: CancellableToken?
        let chain: _Concurrency.Task<Void, Never>?
        /// Taken, so that nothing starts when the request closure answers.
        let context: SendContext?

        init(_ state: inout State) {
            (request, token, chain, context) = (state.request, state.token, state.chain, state.context.take())
        }

        func perform() {
            request?.cancel()
            token?.cancel()
            chain?.cancel()
        }
    }
}
