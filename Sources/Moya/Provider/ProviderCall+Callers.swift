import Foundation
import MoyaSession
import MoyaTransport

/// The callers of equal calls, which share one.
extension ProviderCall {
    /// Adds a caller; `false` if the call is over, was stopped with an error, or was abandoned.
    func add(_ caller: CoalescedCaller) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isFinished, !state.isAbandoned, state.stopped == nil,
                case .callers(var callers) = state.consumer
            else {
                return false
            }
            // Released here first, so that the array is changed in place.
            state.consumer = .task(nil)
            callers.append(caller)
            state.consumer = .callers(callers)
            return true
        }
        if isAdded { caller.join(self) }
        return isAdded
    }

    /// Removes a caller if others remain; returns the byte counts if a request was made.
    ///
    /// The last caller is kept until the call ends as cancelled, so that the plugins are notified before the
    /// completion.
    func release(_ caller: CoalescedCaller, endsNow: Bool) -> (isReleased: Bool, bytes: EventCount?) {
        let (released, isLast, delivery) = state.withLock { state -> ((Bool, EventCount?), Bool, Delivery?) in
            guard !state.isFinished, !state.isAbandoned, case .callers(var callers) = state.consumer else {
                return ((false, nil), false, nil)
            }
            guard callers.count > 1 else {
                state.isAbandoned = true
                return ((false, nil), true, nil)
            }
            state.consumer = .task(nil)
            if let index = callers.firstIndex(where: { $0 === caller }) { callers.remove(at: index) }
            // The others do not wait for the queue of one that left. This queue is no caller's own, since the end may be
            // on its way to the old one.
            var delivery: Delivery?
            if let first = callers.first?.queue, let left = caller.queue, left === state.callersQueue,
                !callers.contains(where: { $0.queue === left })
            {
                state.callersQueue = first
                let queue = DispatchQueue(inOrderOn: first)
                state.queue = queue
                state.delivery = .queue(queue)
                if state.ended != nil || !state.progress.isEmpty { delivery = state.delivery }
            }
            state.consumer = .callers(callers)
            return ((true, state.reportsEnd ? state.bytes : nil), false, delivery)
        }
        delivery?.pass(self)
        if isLast {
            coalescing?.remove(self)
            cancel(endsNow: endsNow || caller.isAwaited)
        }
        return released
    }

    // The closures are converted one by one, because converting the array is a dynamic cast that fails at run time.
    var completions: [Completion] {
        guard case .callers(let callers) = state.withLock({ $0.consumer }) else { return [] }
        return callers.compactMap { $0.completion }
    }
}
