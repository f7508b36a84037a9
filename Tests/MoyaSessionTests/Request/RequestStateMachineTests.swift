import MoyaTesting
import Testing

@testable import MoyaSession

@Suite struct RequestStateMachineTests {
    @Test func resumePreparesTheFirstAttempt() {
        var machine = RequestStateMachine()
        #expect(machine.resume() == .prepare(attempt: 0))
        #expect(machine.state == .resumed)
    }

    @Test func aSecondResumeDoesNothing() {
        var machine = RequestStateMachine()
        _ = machine.resume()
        #expect(machine.resume() == .none)
    }

    @Test func aRequestSuspendedWhileItIsPreparedWaitsForResume() {
        var machine = RequestStateMachine()
        _ = machine.resume()
        #expect(machine.suspend() == .none)
        #expect(machine.prepared(attempt: 0) == .none)
        #expect(machine.resume() == .start)
    }

    @Test func suspendAndResumePauseTheExchange() {
        var machine = exchanging()
        #expect(machine.suspend() == .pauseExchange)
        #expect(machine.resume() == .resumeExchange)
    }

    @Test func cancelDuringAnExchangeCancelsItAndFinishes() {
        var machine = exchanging()
        #expect(machine.cancel() == .finish(cancelsExchange: true))
        #expect(machine.state == .cancelled)
    }

    @Test func cancelBeforeResumeFinishesWithoutAnExchange() {
        var machine = RequestStateMachine()
        #expect(machine.cancel() == .finish(cancelsExchange: false))
    }

    @Test func theEndOfACancelledExchangeIsIgnored() {
        var machine = exchanging()
        _ = machine.cancel()
        #expect(machine.exchangeEnded() == .none)
    }

    @Test func aRetryPreparesTheNextAttempt() {
        var machine = exchanging()
        #expect(machine.exchangeEnded() == .decide(attempt: 0))
        #expect(machine.decidedToRetry(attempt: 0) == .wait(attempt: 1))
        #expect(machine.waited(attempt: 1) == .prepare(attempt: 1))
    }

    @Test func anAnswerForAnEarlierAttemptIsIgnored() {
        var machine = exchanging()
        _ = machine.exchangeEnded()
        _ = machine.decidedToRetry(attempt: 0)
        _ = machine.waited(attempt: 1)
        #expect(machine.prepared(attempt: 0) == .none)
    }

    @Test func aFailedPreparationAsksTheRetriers() {
        var machine = RequestStateMachine()
        _ = machine.resume()
        #expect(machine.preparationFailed(attempt: 0) == .decide(attempt: 0))
        #expect(machine.decidedToFinish(attempt: 0) == .finish(cancelsExchange: false))
        #expect(machine.state == .finished)
    }

    /// Events in any order at all, the driver's own and everybody else's.
    @Test func anyOrderOfEventsEndsInExactlyOneTerminalAction() {
        var random = SeededGenerator(seed: 0x6D6F_7961)
        for run in 0..<100_000 {
            var machine = RequestStateMachine()
            var terminals = 0
            for _ in 0..<Int.random(in: 1...24, using: &random) {
                let action = apply(Int.random(in: 0..<9, using: &random), to: &machine, &random)
                if terminals > 0, action != .none { Issue.record("run \(run): \(action) after the end") }
                if case .finish = action { terminals += 1 }
            }
            if case .finish = machine.cancel() { terminals += 1 }
            if terminals != 1 { Issue.record("run \(run): \(terminals) terminal actions") }
        }
    }

    private func exchanging() -> RequestStateMachine {
        var machine = RequestStateMachine()
        _ = machine.resume()
        _ = machine.prepared(attempt: 0)
        return machine
    }

    private func apply(
        _ event: Int, to machine: inout RequestStateMachine, _ random: inout SeededGenerator
    ) -> RequestStateMachine.Action {
        let attempt = Int.random(in: 0..<3, using: &random)
        switch event {
        case 0: return machine.resume()
        case 1: return machine.suspend()
        case 2: return Int.random(in: 0..<4, using: &random) == 0 ? machine.cancel() : .none
        case 3: return machine.prepared(attempt: attempt)
        case 4: return machine.preparationFailed(attempt: attempt)
        case 5: return machine.exchangeEnded()
        case 6: return machine.decidedToFinish(attempt: attempt)
        case 7: return machine.decidedToRetry(attempt: attempt)
        default: return machine.waited(attempt: attempt)
        }
    }
}
