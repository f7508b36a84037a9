import Dispatch
import Foundation
import Moya
import Synchronization

/// Makes successive calls, with a fixed number in flight, through short-lived providers.
///
/// Every call has an index. Its lane is the index modulo the lanes; a lane uses a provider for its share of calls, then
/// the next. One call in ten is cancelled: at once, or after up to 255 further calls were started. Between phases no
/// call is in flight and no provider is alive, so the process then holds only leaked memory.
final class Soak: Sendable {
    private struct State {
        var next = 0
        var phaseEnd = 0
        var underWay = 0
        var providersMade = 0
        var lanes: [SoakProvider?]
        var usesLeft: [Int]
        /// The calls to cancel when the call with that index starts.
        var toCancel: [Int: [any Cancellable]] = [:]
        var random = SystemRandomNumberGenerator()
        /// Weak references to all providers.
        var alive: [WeakProvider] = []
    }

    private static let lanes = 4
    let plan: SoakPlan
    let ledger: CompletionLedger
    private let state: Mutex<State>
    private let drained = DispatchSemaphore(value: 0)

    init(plan: SoakPlan) {
        self.plan = plan
        ledger = CompletionLedger(calls: plan.calls)
        state = Mutex(
            State(
                lanes: [SoakProvider?](repeating: nil, count: Self.lanes),
                usesLeft: [Int](repeating: 0, count: Self.lanes)))
    }

    /// The number of providers that were made, and of those that still exist.
    var providers: (made: Int, alive: Int) {
        state.withLock { ($0.providersMade, $0.alive.count { $0.provider != nil }) }
    }

    /// The number of calls that have not been started.
    var callsLeft: Int { state.withLock { plan.calls - $0.next } }

    /// Makes that many further calls and returns when each has completed and every provider is released.
    func runPhase(calls: Int) {
        let slots = state.withLock { state in
            state.phaseEnd = min(plan.calls, state.next + calls)
            state.underWay = min(plan.inFlight, state.phaseEnd - state.next)
            return state.underWay
        }
        guard slots > 0 else { return }
        for _ in 0..<slots { startNext() }
        drained.wait()
        let (last, late) = state.withLock { state in
            defer {
                state.lanes = state.lanes.map { _ in nil }
                state.usesLeft = state.usesLeft.map { _ in 0 }
                state.toCancel = [:]
                state.alive.removeAll { $0.provider == nil }
            }
            return (state.lanes, state.toCancel)
        }
        // Cancelling an ended call does nothing, and retains nothing.
        for cancellable in late.values.joined() { cancellable.cancel() }
        _ = last
    }

    private struct Start {
        let index: Int
        let provider: SoakProvider
        let retired: SoakProvider?
        let due: [any Cancellable]
        /// The number of further starts after which the call is cancelled.
        let cancelledAfter: Int?
    }

    private func startNext() {
        let start: Start? = state.withLock { state in
            guard state.next < state.phaseEnd else {
                state.underWay -= 1
                if state.underWay == 0 { drained.signal() }
                return nil
            }
            let index = state.next
            state.next += 1
            let lane = index % Self.lanes
            var retired: SoakProvider?
            let provider: SoakProvider
            if let current = state.lanes[lane], state.usesLeft[lane] > 0 {
                provider = current
            } else {
                retired = state.lanes[lane]
                provider = SoakProvider(number: state.providersMade, authority: plan.authority)
                state.providersMade += 1
                state.lanes[lane] = provider
                state.usesLeft[lane] = plan.callsPerProvider
                state.alive.append(WeakProvider(provider: provider.provider))
            }
            state.usesLeft[lane] -= 1
            let isCancelled = index % 10 == 3
            return Start(
                index: index, provider: provider, retired: retired,
                due: state.toCancel.removeValue(forKey: index) ?? [],
                cancelledAfter: isCancelled ? Int.random(in: 0..<plan.inFlight, using: &state.random) : nil)
        }
        guard let start else { return }
        if start.retired?.farewell == .leavesCalls { start.retired?.isDropped.set() }
        for cancellable in start.due { cancellable.cancel() }
        call(start)
    }

    private func call(_ start: Start) {
        let target = SoakAPI(call: start.index, baseURL: plan.server)
        let isCancelled = start.cancelledAfter != nil
        let kept = start.provider.farewell == .waitsForCalls ? start.provider : nil
        let isDropped = start.provider.isDropped
        let cancellable = start.provider.provider.request(target) { [self] result in
            record(result, of: target, isCancelled: isCancelled, isDropped: isDropped.isSet)
            withExtendedLifetime(kept) {}
            startNext()
        }
        guard let starts = start.cancelledAfter else { return }
        guard starts > 0 else { return cancellable.cancel() }
        state.withLock { $0.toCancel[max(start.index + starts, $0.next), default: []].append(cancellable) }
    }

    private func record(_ result: Result<Response, MoyaError>, of target: SoakAPI, isCancelled: Bool, isDropped: Bool) {
        if target.isRight(result) { return ledger.record(target.index, .right) }
        if case .failure(let error) = result, error.isCancelled {
            if isCancelled { return ledger.record(target.index, .cancelled) }
            if isDropped { return ledger.record(target.index, .dropped) }
        }
        ledger.record(target.index, .wrong, complaint: "call \(target.index), \(target.kind): \(result)")
    }
}

private struct WeakProvider {
    weak var provider: MoyaProvider<SoakAPI>?
}

extension MoyaError {
    fileprivate var isCancelled: Bool {
        guard case .underlying(let error, _) = self else { return false }
        let nsError = error as NSError
        return nsError.domain == NSURLErrorDomain && nsError.code == NSURLErrorCancelled
    }
}
