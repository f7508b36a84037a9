import Foundation
import MoyaTransport

/// The calls under way that equal calls may join.
final class CoalescedCalls: Sendable {
    /// The entry of a call in this collection.
    struct Entry: Sendable {
        let calls: CoalescedCalls
        let endpoint: Endpoint
        let key: Key

        /// Removes a call that is over, unless a newer call has replaced it.
        func remove(_ call: ProviderCall) {
            let current = calls.entries.withLock { entries -> ProviderCall? in
                let current = entries[key]?.call
                if current === call { entries[key] = nil }
                return current
            }
            withExtendedLifetime(current) {}
        }

        /// Removes a call that was released before its end, unless a newer call has replaced it.
        func removeReleased() {
            let current = calls.entries.withLock { entries -> ProviderCall? in
                guard let entry = entries[key] else { return nil }
                let current = entry.call
                if current == nil { entries[key] = nil }
                return current
            }
            // A newer call may have only this reference left, and its `deinit` takes the lock.
            withExtendedLifetime(current) {}
        }
    }

    /// The properties that equal calls share: the first caller's target decides on all of them.
    struct Key: Hashable {
        let endpoint: EndpointKey
        let validationType: ValidationType
        /// The type of the token that ``AccessTokenPlugin`` sets.
        let authorization: String?

        init(_ endpoint: Endpoint, of target: any TargetType) {
            self.endpoint = EndpointKey(endpoint)
            validationType = target.validationType
            authorization = (target as? any AccessTokenAuthorizable)?.authorizationType?.value
        }
    }

    /// Weak, because a call retains its provider, and would keep both alive if its request is never made.
    private struct WeakCall {
        weak var call: ProviderCall?
    }

    private let entries = Lock<[Key: WeakCall]>([:])

    /// The pending completions of each endpoint.
    var completions: [Endpoint: [Completion]] {
        let calls = entries.withLock { $0.values.compactMap(\.call) }
        return Dictionary(
            calls.compactMap { call in call.coalescing.map { ($0.endpoint, call.completions) } },
            uniquingKeysWith: +)
    }

    /// Adds a caller to the call of an endpoint; returns the call if it is new and has to be started.
    func join(
        _ caller: CoalescedCaller, to endpoint: Endpoint, _ make: (Entry) -> ProviderCall
    ) -> ProviderCall? {
        // The key is made before the lock is taken, because it runs the app's encodings.
        let key = Key(endpoint, of: caller.target)
        if entries.withLock({ $0[key]?.call })?.add(caller) == true { return nil }
        let call = make(Entry(calls: self, endpoint: endpoint, key: key))
        let (isNew, old) = entries.withLock { entries -> (Bool, ProviderCall?) in
            let old = entries[key]?.call
            if let old, old.add(caller) { return (false, old) }
            entries[key] = WeakCall(call: call)
            return (true, old)
        }
        // The old call is released outside the lock, because a `deinit` may call this object.
        withExtendedLifetime(old) {}
        if isNew { caller.join(call, leads: true) }
        return isNew ? call : nil
    }
}

/// A caller of a coalesced call, with its queue, progress closure and cancellation.
final class CoalescedCaller: Cancellable {
    private struct State {
        /// Released at the end, because they may retain the owner of the caller.
        var completion: SendableCompletion?
        var progress: SendableProgressBlock?
        var isCancelled = false
        var isFinished = false
        /// Weak, because a strong reference would keep a call alive that never ends.
        weak var call: ProviderCall?
        var hasJoined = false
        /// `true` if the caller has made the call, and did not join it.
        var isLeader = false
    }

    /// The queue of the progress and the completion; `nil` for the thread that calls, or else the main queue.
    let queue: DispatchQueue?
    /// `true` if a task awaits the call; a request closure that never answers must not block it.
    let isAwaited: Bool
    let target: any TargetType
    private let plugins: [any PluginType]
    private let thread = ThreadIdentity()
    private let state: Lock<State>

    init(
        target: any TargetType, plugins: [any PluginType], queue: DispatchQueue?, progress: SendableProgressBlock?,
        isAwaited: Bool, completion: @escaping SendableCompletion
    ) {
        self.target = target
        self.plugins = plugins
        self.queue = progress == nil ? queue : queue.map { DispatchQueue(inOrderOn: $0) }
        self.isAwaited = isAwaited
        state = Lock(State(completion: completion, progress: progress))
    }

    /// The completion; `nil` once it was called.
    var completion: SendableCompletion? { state.withLock { $0.completion } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// - Parameter leads: `true` for a call that this caller starts.
    func join(_ call: ProviderCall, leads: Bool = false) {
        state.withLock { state in
            state.call = call
            state.hasJoined = true
            state.isLeader = leads
        }
    }

    func cancel() { cancel(endsNow: false) }

    /// Cancels the caller's part of the call.
    ///
    /// - Parameter endsNow: `true` to end a call without other callers before its request is made.
    func cancel(endsNow: Bool) {
        let (call, isLost) = state.withLock { state -> (ProviderCall?, Bool) in
            defer { state.isCancelled = true }
            guard !state.isCancelled, !state.isFinished else { return (nil, false) }
            let call = state.call
            return (call, call == nil && state.hasJoined)
        }
        // A request closure that drops its answer releases the call.
        if isLost { finish(with: .failure(.cancelled), nil, in: nil) }
        guard let (isReleased, bytes) = call?.release(self, endsNow: endsNow), isReleased else { return }
        finish(with: .failure(.cancelled), bytes, in: nil)
    }

    func report(_ event: ProgressResponse, in context: ProviderCall.ReportContext) {
        guard state.withLock({ $0.progress != nil }) else { return }
        deliver(in: context) { [self] in
            let progress = state.withLock { $0.isCancelled || $0.isFinished ? nil : $0.progress }
            progress?(event)
        }
    }

    /// Delivers the result to the caller, or its cancellation if that came first.
    ///
    /// - Parameters:
    ///   - bytes: The counts of the last progress; `nil` if there was no request, and so no progress.
    ///   - context: The call's context, if this method is called in it; otherwise `nil`.
    /// - Returns: `true` if the caller has its result already.
    @discardableResult
    func finish(
        with result: Result<Response, MoyaError>, _ bytes: EventCount?, in context: ProviderCall.ReportContext?
    ) -> Bool {
        deliver(in: context) { [self] in
            let (completion, progress) = state.withLock { state in
                state.isFinished = true
                return (state.completion.take(), state.progress.take())
            }
            // A cancellation behind the end of a call that was released since.
            guard let completion else { return }
            if let bytes {
                let end: Result = isCancelled ? .failure(.cancelled) : result
                progress?(ProgressResponse(endOf: end, bytes))
            }
            let wasCancelled = isCancelled
            let processed = plugins.process(wasCancelled ? .failure(.cancelled) : result, target: target)
            completion(!wasCancelled && isCancelled ? .failure(.cancelled) : processed)
        }
    }

    /// Runs work in the caller's context; `true` if it ran at once.
    @discardableResult
    private func deliver(in context: ProviderCall.ReportContext?, _ work: @escaping @Sendable () -> Void) -> Bool {
        let isHere = matches(context)
        if isHere { work() } else { (queue ?? .main).async(execute: work) }
        return isHere
    }

    /// `true` if the caller expects its progress and its completion in a context.
    private func matches(_ context: ProviderCall.ReportContext?) -> Bool {
        guard let context else { return false }
        if let queue { return queue === context.queue }
        guard context.isInline else { return context.queue == nil }
        // Another caller's thread may answer an immediate stub.
        return thread.isCurrent || state.withLock { $0.isLeader }
    }
}
