import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One call of a provider, from the request closure's answer to its consumer, which gets the result exactly once.
///
/// It holds all that the call needs except the provider, whose release is to end the call. An attempt of a call that
/// passes middleware is one of these too, with the call as its ``parent``.
final class ProviderCall: Cancellable, Indexed {
    /// The receiver of a result.
    enum Consumer: Sendable {
        case completion(SendableCompletion)
        /// A task, which notifies the plugins itself, off the transport's thread and with no queue between.
        case task(UnsafeContinuation<Void, Never>?)
        /// The callers of equal calls, in the order of their calls.
        case callers([CoalescedCaller])
    }

    /// The end of a call, and the work that remains.
    enum Ended: Sendable {
        /// Everything.
        case request(Request, StubTransport?)
        /// The plugins have to hear of it and to process it.
        case received(Result<Response, MoyaError>)
        /// The plugins have heard of it from a stub that was made in a subclass's own way, and have to process it.
        case stubbed(Result<Response, MoyaError>)
        /// The plugins have to process it: there was no request.
        case unsent(Result<Response, MoyaError>)
        /// Nothing: the attempts have passed the plugins.
        case final(Result<Response, MoyaError>)

        /// An error in place of what the call came to.
        func replaced(by error: MoyaError) -> Ended {
            switch self {
            case .request, .received: .received(.failure(error))
            case .stubbed: .stubbed(.failure(error))
            case .unsent: .unsent(.failure(error))
            case .final: .final(.failure(error))
            }
        }
    }

    /// The input of a call.
    struct Beginning: Sendable {
        let endpoint: Endpoint
        let behavior: StubBehavior
        let session: Session
        /// Stubs in a subclass's own way; `nil` for the usual one.
        let stubbing: (@Sendable (ProviderCall, URLRequest) -> Void)?
        /// The pace of a stub that streams; `nil` for a sample that comes whole.
        var pace: SamplePace?
    }

    typealias Answer = OneShot<Result<URLRequest, MoyaError>>

    /// The queue on which a call reports its progress and its end.
    enum Delivery: Sendable {
        /// The main queue, of which every mention makes an object on Linux.
        case main
        case queue(DispatchQueue)
        /// None: where it becomes known, which is where user code may run.
        case inline
    }

    struct State {
        var consumer: Consumer
        /// Until the request closure has answered.
        var beginning: Beginning?
        var delivery: Delivery
        /// `true` if ``ProviderCall/cancel()`` was called.
        var isCancelled = false
        /// The error that the call ends with, whatever else it comes to.
        var stopped: MoyaError?
        /// `true` if no further caller may join.
        var isAbandoned = false
        var isFinished = false
        /// `true` if the request closure has answered.
        var hasRequest = false
        var request: Request?
        /// Answers the call in place of a server.
        var stub: StubTransport?
        /// Cancels a stub that a subclass has made.
        var token: CancellableToken?
        /// Passes the call through its middleware.
        var chain: _Concurrency.Task<Void, Never>?
        /// The input that the awaiting task has to pass through the middleware.
        var parked: (Beginning, Answer)?
        /// The result, from the moment that it is known until the consumer has it.
        var ended: Ended?
        var timers: (total: CallTimer?, attempt: CallTimer?)
        var bytes = ByteCount()

        /// Takes the end of the call, unless there was one.
        mutating func take(_ ended: Ended) -> End? {
            guard !isFinished else { return nil }
            isFinished = true
            let ended = stopped.map { ended.replaced(by: $0) } ?? ended
            let end = End(
                ended: ended, consumer: consumer, bytes: bytes, timers: timers, request: request.take(),
                stub: stub.take(), token: token.take())
            chain = nil
            timers = (nil, nil)
            // A task is resumed first; other waiters are released with the end.
            if case .task = consumer { self.ended = ended } else { consumer = .task(nil) }
            return end
        }
    }

    /// The end of a call, and what of the call has to be released outside its lock.
    struct End: Sendable {
        let ended: Ended
        let consumer: Consumer
        let bytes: ByteCount
        let timers: (total: CallTimer?, attempt: CallTimer?)
        let request: Request?
        let stub: StubTransport?
        let token: CancellableToken?
    }

    /// The number of bytes that have moved, and the number expected.
    struct ByteCount: Sendable {
        var completed: Int64 = 0
        var total: Int64?
    }

    /// The target, as it was given to the provider; `nil` where nothing reads it.
    let target: (any TargetType)?
    let plugins: [any PluginType]
    let queue: DispatchQueue?
    let progress: SendableProgressBlock?
    /// The call that this is an attempt of.
    let parent: ProviderCall?
    /// Middleware and deadlines, where there are any.
    let route: CallRoute?
    /// The changes that plugins make to the session's request.
    let unsent: UnsentRequest?
    /// The names of header fields that no other origin gets.
    let credentialFields: Set<String>
    /// `true` if the result belongs to the call, rather than to a stub made for another call.
    let isWhole: Bool
    /// `true` if the call ends with the head of the response, and its body goes to a reader.
    let isStreamed: Bool
    let coalescing: CoalescedCalls.Entry?
    let calls: ActiveCalls?
    /// Under the lock of ``calls``.
    @exclusivity(unchecked) nonisolated(unsafe) var index: Int?
    /// Of the task that awaits the call.
    let priority: TaskPriority
    let state: Lock<State>

    init(
        target: (any TargetType)?, plugins: [any PluginType], queue: DispatchQueue? = nil,
        progress: SendableProgressBlock? = nil, consumer: Consumer, parent: ProviderCall? = nil,
        route: CallRoute? = nil, unsent: UnsentRequest? = nil, credentialFields: Set<String> = [], isWhole: Bool = true,
        isStreamed: Bool = false, coalescing: CoalescedCalls.Entry? = nil, calls: ActiveCalls? = nil
    ) {
        self.target = target
        self.plugins = plugins
        self.queue = queue
        self.progress = progress
        self.parent = parent
        self.route = route
        self.unsent = unsent
        self.credentialFields = credentialFields
        self.isWhole = isWhole
        self.isStreamed = isStreamed
        self.coalescing = coalescing
        self.calls = calls
        if case .task = consumer { priority = _Concurrency.Task.currentPriority } else { priority = .medium }
        state = Lock(State(consumer: consumer, delivery: queue.map { .queue($0) } ?? .main))
    }

    // MARK: Stopping

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The error that the call ends with before its time; `nil` while it goes on.
    var stopped: MoyaError? { state.withLock { $0.stopped } }

    func cancel() { cancel(endsNow: false) }

    /// Ends the call as cancelled.
    ///
    /// - Parameter endsNow: `true` if a request that was not made is not waited for. A completion waits for the request
    ///   closure, as it always has; a task does not.
    func cancel(endsNow: Bool) {
        let error = parent?.stopped ?? .cancelled
        let (stop, endsNow) = state.withLock { state in
            state.isCancelled = true
            state.stopped = error
            var endsNow = endsNow
            if case .task(_?) = state.consumer { endsNow = true }
            return (Stop(&state), endsNow && !state.hasRequest && state.chain == nil)
        }
        stop.perform()
        if endsNow { arrive(.received(.failure(error))) }
    }

    /// Ends the call with an error, unless it is over.
    func expire(with error: MoyaError) {
        let (stop, ended) = state.withLock { state -> (Stop?, Ended) in
            guard !state.isFinished else { return (nil, .received(.failure(error))) }
            state.stopped = state.stopped ?? error
            let ended: Ended =
                if state.chain != nil { .final(.failure(error)) } else if state.token != nil {
                    .stubbed(.failure(error))
                } else { .received(.failure(error)) }
            return (Stop(&state), ended)
        }
        guard let stop else { return }
        stop.perform()
        // Neither middleware nor a subclass's stub need heed its cancellation.
        arrive(ended)
    }

    /// The work to cancel once the lock of the call is free.
    private struct Stop: Sendable {
        let request: Request?
        let token: CancellableToken?
        let chain: _Concurrency.Task<Void, Never>?
        /// Nothing begins any more, whatever the request closure may answer.
        let beginning: Beginning?

        init(_ state: inout State) {
            (request, token, chain, beginning) = (state.request, state.token, state.chain, state.beginning.take())
        }

        func perform() {
            request?.cancel()
            token?.cancel()
            chain?.cancel()
        }
    }

    // MARK: Callers of equal calls

    /// Adds a caller; `false` when it comes too late.
    func add(_ caller: CoalescedCaller) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isFinished, !state.isAbandoned, case .callers(let callers) = state.consumer else {
                return false
            }
            state.consumer = .callers(callers + [caller])
            return true
        }
        if isAdded { caller.join(self) }
        return isAdded
    }

    /// Removes a caller; gives the count of bytes when the others go on without it.
    ///
    /// The last one stays for the end of the call, which is cancelled, so that the plugins hear of it before the
    /// completion does.
    func release(_ caller: CoalescedCaller) -> ByteCount? {
        let (bytes, isLast) = state.withLock { state -> (ByteCount?, Bool) in
            guard !state.isFinished, !state.isAbandoned, case .callers(let callers) = state.consumer else {
                return (nil, false)
            }
            guard callers.count == 1 else {
                state.consumer = .callers(callers.filter { $0 !== caller })
                return (state.bytes, false)
            }
            state.isAbandoned = true
            return (nil, true)
        }
        if isLast {
            coalescing?.remove(self)
            cancel(endsNow: caller.isAwaited)
        }
        return bytes
    }

    // The closures are converted one by one: to convert them as an array is a cast, which fails when it runs.
    var completions: [Completion] {
        guard case .callers(let callers) = state.withLock({ $0.consumer }) else { return [] }
        return callers.map { $0.completion }
    }
}
