import MoyaTesting
import Testing

@testable import MoyaSession

/// The machine beside a model of it, event by event, in orders that a seed chooses.
@Suite struct RequestStateMachineModelTests {
    private static let runs = 100_000

    /// Three events in four may be caused by work in progress; the others are arbitrary.
    @Test func aHundredThousandOrdersOfEventsMatchTheModel() {
        var failures: [String] = []
        for seed in 0..<UInt64(Self.runs) where failures.count < 3 {
            var run = ModelRun(seed: seed)
            if let failure = run.failure() { failures.append("seed \(seed): \(failure)") }
        }
        #expect(failures.isEmpty, "\(failures)")
    }

    /// Most orders go deep enough to be worth something.
    @Test func theOrdersReachEveryStageAndEveryAction() {
        var actions: Set<String> = []
        var attempts = 0
        for seed in 0..<1_000 as Range<UInt64> {
            var run = ModelRun(seed: seed)
            _ = run.failure()
            actions.formUnion(run.kindsOfActions)
            attempts = max(attempts, run.attempts)
        }
        #expect(
            actions == [
                "prepare", "start", "resumeExchange", "pauseExchange", "cancelExchange", "decide", "wait", "finish",
                "deferEnd",
            ])
        #expect(attempts >= 3)
    }
}

/// An event of a request.
private enum Event {
    case resume, suspend, cancel, cancelAtEnd, expire, exchangeEnded, beginDelivery, endDelivery
    case prepared(Int), preparationFailed(Int), decidedToFinish(Int), decidedToRetry(Int), waited(Int)
}

/// The obligations of a request: not the machine's stages, but the parties that were called and have not answered.
private struct RequestModel {
    enum Party: Equatable { case none, adapters(Int), transport, mover, retriers(Int), clock(Int) }

    /// The party whose answer the request awaits.
    private(set) var called = Party.none
    /// The number of ends reported.
    private(set) var ends = 0
    private var attempt = 0
    private var hasBegun = false
    private var isHeld = false
    private var isReady = false
    private var isCancelled = false

    /// The expected action of the request for an event.
    mutating func answer(_ event: Event) -> RequestStateMachine.Action {
        if ends > 0 { return .none }
        switch event {
        case .resume: return resume()
        case .suspend:
            // A cancelled request is not held up on its way to its end.
            if isHeld || isCancelled { return .none }
            isHeld = true
            return called == .transport || called == .mover ? .pauseExchange : .none
        case .cancel, .expire: return called == .mover ? deferEnd() : end()
        case .beginDelivery:
            if called == .transport, !isCancelled { called = .mover }
            return .none
        case .endDelivery:
            guard called == .mover else { return .none }
            called = .transport
            return isCancelled ? end() : .none
        case .cancelAtEnd:
            if called == .mover { return deferEnd() }
            guard called == .transport else { return end() }
            defer { isCancelled = true }
            return isCancelled ? .none : .cancelExchange
        case .exchangeEnded:
            guard called == .transport else { return .none }
            called = .none
            return isCancelled ? end() : call(.retriers(attempt), .decide(attempt: attempt))
        case .prepared(let number):
            guard called == .adapters(number) else { return .none }
            called = .none
            isReady = true
            return sendIfAllowed()
        case .preparationFailed(let number):
            guard called == .adapters(number) else { return .none }
            return call(.retriers(attempt), .decide(attempt: attempt))
        case .decidedToFinish(let number): return called == .retriers(number) ? end() : .none
        case .decidedToRetry(let number):
            guard called == .retriers(number) else { return .none }
            attempt += 1
            return call(.clock(attempt), .wait(attempt: attempt))
        case .waited(let number):
            guard called == .clock(number) else { return .none }
            return call(.adapters(attempt), .prepare(attempt: attempt))
        }
    }

    private mutating func resume() -> RequestStateMachine.Action {
        let wasHeld = isHeld
        isHeld = false
        if !hasBegun {
            hasBegun = true
            return call(.adapters(0), .prepare(attempt: 0))
        }
        guard wasHeld else { return .none }
        let hasExchange = called == .transport || called == .mover
        return hasExchange && !isCancelled ? .resumeExchange : sendIfAllowed()
    }

    private mutating func sendIfAllowed() -> RequestStateMachine.Action {
        guard isReady, !isHeld else { return .none }
        isReady = false
        return call(.transport, .start)
    }

    private mutating func call(_ party: Party, _ action: RequestStateMachine.Action) -> RequestStateMachine.Action {
        called = party
        return action
    }

    /// The end waits until the body was moved.
    private mutating func deferEnd() -> RequestStateMachine.Action {
        defer { isCancelled = true }
        return isCancelled ? .none : .deferEnd
    }

    private mutating func end() -> RequestStateMachine.Action {
        // An exchange is cancelled with its request, even a second time.
        let cancels = called == .transport
        called = .none
        ends += 1
        return .finish(cancelsExchange: cancels)
    }
}

/// One order of events, and the machine's error in handling it.
private struct ModelRun {
    private var random: SeededGenerator
    private var machine = RequestStateMachine()
    private var model = RequestModel()
    private var effects = Effects()
    private(set) var kindsOfActions: Set<String> = []
    var attempts: Int { machine.attempt + 1 }

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// `nil` if everything is correct.
    mutating func failure() -> String? {
        var log: [Event] = []
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            log.append(nextEvent())
            if let failure = take(log[log.count - 1]) { return "\(failure) at the end of \(log)" }
        }
        // After any events, it ends when it is cancelled, and cannot be resumed.
        for event in [.cancel, .cancel, .endDelivery, .resume, .exchangeEnded, .expire] as [Event] {
            log.append(event)
            if let failure = take(event) { return "\(failure) at the end of \(log)" }
        }
        if effects.ends != 1 { return "\(effects.ends) ends of \(log)" }
        return effects.isExchangeOpen ? "an exchange is left behind by \(log)" : nil
    }

    private mutating func take(_ event: Event) -> String? {
        let expected = model.answer(event)
        let action = machine.answer(event)
        if action != .none { kindsOfActions.insert("\(action)".prefix { $0 != "(" }.description) }
        guard action == expected else { return "\(action) and not \(expected)" }
        return effects.take(action, after: event)
    }

    private mutating func nextEvent() -> Event {
        if UInt8.random(in: 0..<4, using: &random) > 0 {
            // Rather an answer than a change of mind, or few requests would get far.
            let isAnswer = UInt8.random(in: 0..<3, using: &random) > 0
            switch model.called {
            case .adapters(let attempt) where isAnswer:
                return chance(5) ? .preparationFailed(attempt) : .prepared(attempt)
            case .transport where isAnswer: return chance(4) ? .beginDelivery : .exchangeEnded
            case .mover where isAnswer: return .endDelivery
            case .retriers(let attempt) where isAnswer:
                return chance(3) ? .decidedToFinish(attempt) : .decidedToRetry(attempt)
            case .clock(let attempt) where isAnswer: return .waited(attempt)
            default: return chance(2) ? .resume : .suspend
            }
        }
        let attempt = Int.random(in: 0..<4, using: &random)
        switch UInt8.random(in: 0..<22, using: &random) {
        case 0: return .cancel
        case 1: return .expire
        case 2: return .cancelAtEnd
        case 3..<6: return .resume
        case 6..<9: return .suspend
        case 9, 10: return .exchangeEnded
        case 11, 12: return .prepared(attempt)
        case 13, 14: return .preparationFailed(attempt)
        case 15, 16: return .decidedToFinish(attempt)
        case 17, 18: return .decidedToRetry(attempt)
        case 19: return .beginDelivery
        case 20: return .endDelivery
        default: return .waited(attempt)
        }
    }

    private mutating func chance(_ count: UInt8) -> Bool { UInt8.random(in: 0..<count, using: &random) == 0 }
}

/// The effects of the actions, and the forbidden ones.
private struct Effects {
    private(set) var isExchangeOpen = false
    private(set) var ends = 0
    private var isPaused = false

    mutating func take(_ action: RequestStateMachine.Action, after event: Event) -> String? {
        if case .exchangeEnded = event, action != .none { isExchangeOpen = false }
        if action == .none || action == .deferEnd { return nil }
        if ends > 0 { return "\(action) after the end" }
        switch action {
        case .none, .deferEnd, .prepare, .decide, .wait: return isExchangeOpen ? "\(action) beside an exchange" : nil
        case .start:
            if isExchangeOpen { return "a second exchange" }
            isExchangeOpen = true
            isPaused = false
        case .pauseExchange, .resumeExchange:
            if !isExchangeOpen { return "\(action) without an exchange" }
            let pauses = action == .pauseExchange
            if isPaused == pauses { return "\(action) twice" }
            isPaused = pauses
        case .cancelExchange: if !isExchangeOpen { return "\(action) without an exchange" }
        case .finish(let cancelsExchange):
            ends += 1
            if cancelsExchange != isExchangeOpen { return "\(action), an exchange is open: \(isExchangeOpen)" }
            isExchangeOpen = false
        }
        return nil
    }
}

extension RequestStateMachine {
    fileprivate mutating func answer(_ event: Event) -> Action {
        switch event {
        case .resume: resume()
        case .suspend: suspend()
        case .cancel: cancel()
        case .cancelAtEnd: cancelAtEnd()
        case .expire: expire()
        case .exchangeEnded: exchangeEnded()
        case .beginDelivery: beginDelivery() ? .none : .none
        case .endDelivery: endDelivery()
        case .prepared(let attempt): prepared(attempt: attempt)
        case .preparationFailed(let attempt): preparationFailed(attempt: attempt)
        case .decidedToFinish(let attempt): decidedToFinish(attempt: attempt)
        case .decidedToRetry(let attempt): decidedToRetry(attempt: attempt)
        case .waited(let attempt): waited(attempt: attempt)
        }
    }
}
