import Foundation
import Synchronization

/// The calls that equal calls may join while they are under way.
final class InflightCalls: Sendable {
    private let shared = Mutex<[Endpoint: SharedCall]>([:])

    /// The completions waiting for each endpoint.
    var completions: [Endpoint: [Completion]] {
        shared.withLock { $0 }.mapValues { $0.completions }
    }

    /// Adds a caller to the call of an endpoint; returns the call when it is new and has to be made, on the caller's
    /// queue.
    func join(_ caller: InflightCaller, to endpoint: Endpoint) -> SharedCall? {
        shared.withLock { shared in
            if let call = shared[endpoint], call.add(caller) { return nil }
            let call = SharedCall(endpoint: endpoint, queue: caller.queue, calls: self)
            _ = call.add(caller)
            shared[endpoint] = call
            return call
        }
    }

    /// Lets go of every call: one whose request is never made would keep this alive, and this would keep it.
    func removeAll() { shared.withLock { $0 = [:] } }

    /// Forgets a call that is over, unless a newer one stands in its place.
    func remove(_ call: SharedCall) {
        shared.withLock { shared in
            if shared[call.endpoint] === call { shared[call.endpoint] = nil }
        }
    }
}

/// One call on the wire for any number of equal calls.
///
/// It is cancelled when the last of its callers leaves.
final class SharedCall: Sendable {
    private struct State {
        var callers: [InflightCaller] = []
        /// Holds this, by what it ends with.
        weak var call: (any Cancellable & AnyObject)?
        var isOver = false
    }

    let endpoint: Endpoint
    /// Where the call tells of its progress and its end.
    private let queue: DispatchQueue?
    private let calls: InflightCalls
    private let state = Mutex(State())

    init(endpoint: Endpoint, queue: DispatchQueue?, calls: InflightCalls) {
        self.endpoint = endpoint
        self.queue = queue
        self.calls = calls
    }

    // The closures are converted one by one: to convert them as an array is a cast, which fails when it runs.
    var completions: [Completion] { state.withLock { $0.callers }.map { $0.completion } }

    /// Adds a caller; `false` when it comes too late.
    func add(_ caller: InflightCaller) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isOver else { return false }
            state.callers.append(caller)
            return true
        }
        if isAdded { caller.joined(self) }
        return isAdded
    }

    func lead(_ call: any Cancellable & AnyObject) {
        let isOver = state.withLock { state in
            state.call = call
            return state.isOver
        }
        if isOver { call.cancel() }
    }

    func report(_ progress: ProgressResponse) {
        for caller in state.withLock({ $0.callers }) { caller.report(progress, from: queue) }
    }

    /// Lets a caller go; `true` when the others go on without it.
    ///
    /// The last one stays for the end of the call, which is cancelled, so that the plugins hear of it before the
    /// completion does.
    func leave(_ caller: InflightCaller) -> Bool {
        let (goesOn, abandoned) = state.withLock { state -> (Bool, (any Cancellable)?) in
            guard !state.isOver else { return (false, nil) }
            guard state.callers.count == 1 else {
                state.callers.removeAll { $0 === caller }
                return (true, nil)
            }
            state.isOver = true
            return (false, state.call)
        }
        if goesOn { return true }
        calls.remove(self)
        abandoned?.cancel()
        return false
    }

    func finish(with result: Result<Response, MoyaError>) {
        let callers = state.withLock { state in
            defer {
                state.isOver = true
                state.callers = []
                state.call = nil
            }
            return state.callers
        }
        // The key is gone before any completion runs, so that a completion may call the same target again.
        calls.remove(self)
        for caller in callers { caller.finish(with: result, from: queue) }
    }
}

/// One of the callers of a shared call, with a queue, a progress closure and a way to cancel of its own.
final class InflightCaller: Cancellable {
    private struct State {
        var isCancelled = false
        var isFinished = false
        /// Kept by whatever will end it: held from here too, a call that nothing ends would never go.
        weak var call: SharedCall?
    }

    let completion: SendableCompletion
    /// Where the caller is told of its progress and its end; `nil` for where they become known.
    let queue: DispatchQueue?
    private let target: any TargetType
    private let plugins: [any PluginType]
    private let progress: SendableProgressBlock?
    private let state = Mutex(State())

    init(
        target: any TargetType, plugins: [any PluginType], queue: DispatchQueue?, progress: SendableProgressBlock?,
        completion: @escaping SendableCompletion
    ) {
        self.target = target
        self.plugins = plugins
        self.queue = queue
        self.progress = progress
        self.completion = completion
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func joined(_ call: SharedCall) { state.withLock { $0.call = call } }

    func cancel() {
        let call = state.withLock { state -> SharedCall? in
            defer { state.isCancelled = true }
            return state.isCancelled || state.isFinished ? nil : state.call
        }
        if let call, call.leave(self) { finish(with: .failure(.cancelled), from: nil) }
    }

    func report(_ event: ProgressResponse, from current: DispatchQueue?) {
        guard let progress else { return }
        deliver(from: current) { progress(event) }
    }

    /// Tells the caller the end, once.
    ///
    /// - Parameter current: The queue that this is called on.
    func finish(with result: Result<Response, MoyaError>, from current: DispatchQueue?) {
        let isFirst = state.withLock { state in
            defer {
                state.isFinished = true
                state.call = nil
            }
            return !state.isFinished
        }
        guard isFirst else { return }
        deliver(from: current) { [self] in
            completion(plugins.process(result, target: target))
        }
    }

    private func deliver(from current: DispatchQueue?, _ work: @escaping @Sendable () -> Void) {
        if let queue, queue !== current { queue.async(execute: work) } else { work() }
    }
}
