import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

@Suite struct AuthenticationStateMachineTests {
    private typealias Machine = AuthenticationStateMachine<Int, String>

    private func machine(_ credential: String? = "a", attempts: Int? = nil) -> Machine {
        Machine(
            credential: credential,
            limit: attempts.map { RefreshLimit(interval: 30, maximumAttempts: $0) })
    }

    @Test func aRefusedCredentialIsRefreshedForItsRequest() {
        var machine = machine()
        guard case .wait(let refresh?) = machine.retry(7, sent: 0, now: 0) else { return _ = Issue.record() }
        #expect(refresh.credential == "a")
        #expect(refresh.waiter == 7)
    }

    @Test func aSecondRequestWaitsForTheSameRefresh() {
        var machine = machine()
        _ = machine.retry(1, sent: 0, now: 0)
        guard case .wait(nil) = machine.retry(2, sent: 0, now: 0) else { return _ = Issue.record() }
    }

    @Test func waitersContinueInTheOrderOfArrival() {
        var machine = machine()
        for waiter in 1...5 { _ = machine.retry(waiter, sent: 0, now: 0) }
        let release = machine.refreshed(1, .success("b"), now: 0)
        #expect(release.answers.map(\.waiter) == [1, 2, 3, 4, 5])
        #expect(machine.credential == "b")
    }

    @Test func aRefusalOfAnOldCredentialIsAnsweredWithTheCurrentOne() {
        var machine = machine()
        _ = machine.set("b")
        guard case .answer(.proceed("b", 1)) = machine.retry(1, sent: 0, now: 0) else { return _ = Issue.record() }
    }

    @Test func aCredentialThatChangesDuringItsCheckIsCheckedAgain() {
        var machine = machine()
        _ = machine.set("b")
        let decision = machine.adapt(1, seen: 0, requiresRefresh: true, now: 0)
        guard case .answer(.reconsider) = decision else { return _ = Issue.record() }
    }

    @Test func theResultOfAnUnknownRefreshIsIgnored() {
        var machine = machine()
        _ = machine.retry(1, sent: 0, now: 0)
        let release = machine.refreshed(2, .success("b"), now: 0)
        #expect(release.answers.isEmpty)
        #expect(machine.credential == "a")
    }

    @Test func aWaiterThatLeavesIsNotAnswered() {
        var machine = machine()
        _ = machine.retry(1, sent: 0, now: 0)
        _ = machine.retry(2, sent: 0, now: 0)
        let waited = [machine.remove(1), machine.remove(1)]
        #expect(waited == [true, false])
        let release = machine.refreshed(1, .success("b"), now: 0)
        #expect(release.answers.map(\.waiter) == [2])
    }

    @Test func excessiveRefreshesFailTheCaller() {
        var machine = machine(attempts: 0)
        guard case .answer(.fail(let error)) = machine.retry(1, sent: 0, now: 0) else { return _ = Issue.record() }
        #expect(error as? AuthenticationError == .excessiveRefresh)
    }

    @Test func tenThousandInterleavingsKeepTheInvariants() {
        for seed in 0..<10_000 {
            var run = InterleavedRun(seed: UInt64(seed))
            if let broken = run.broken() {
                Issue.record("seed \(seed): \(broken)")
                return
            }
        }
    }
}

/// Random events for a state machine, with independently known results.
private struct InterleavedRun {
    private typealias Machine = AuthenticationStateMachine<Int, Int>
    private struct Failure: Error, Equatable { let number: Int }

    private var numbers: SeededGenerator
    private var machine: Machine
    private var credential: Int?
    private var version = 0
    private var lastCredential = 0
    private var waiting: Set<Int> = []
    private var lastWaiter = 0
    private var underWay: (number: Int, version: Int)?
    private var now = 0.0
    private var fault: String?

    init(seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
        let attempts = Int.random(in: 0..<8, using: &numbers)
        let limit = attempts == 7 ? nil : RefreshLimit(interval: 10, maximumAttempts: attempts)
        machine = Machine(credential: 0, limit: limit)
        credential = 0
    }

    /// The broken rule, if any.
    mutating func broken() -> String? {
        for _ in 0..<30 {
            step()
            if let fault { return fault }
            // A waiter always waits for a refresh.
            if !waiting.isEmpty, underWay == nil { return "\(waiting) wait for nothing" }
        }
        // A refresh may be followed by one for a credential that was set meanwhile, and by no more than that.
        for _ in 0..<2 { endRefresh() }
        return fault ?? (waiting.isEmpty ? nil : "\(waiting) were never answered")
    }

    private mutating func step() {
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0...2: adapt()
        case 3...6: retry()
        case 7, 8: endRefresh()
        case 9: setCredential()
        case 10:
            let waiter = waiting.randomElement(using: &numbers) ?? 0
            check(machine.remove(waiter) == (waiting.remove(waiter) != nil), "whether \(waiter) waited")
        default:
            now += Double.random(in: 0..<8, using: &numbers)
            // A refresh that ended long ago ends again.
            check(machine.refreshed(0, .success(-1), now: now).answers.isEmpty, "an ended refresh did something")
        }
        check(machine.credential == credential && machine.version == version, "another credential is held")
    }

    private mutating func adapt() {
        lastWaiter += 1
        let seen = seenVersion()
        let isDue = Bool.random(using: &numbers)
        switch machine.adapt(lastWaiter, seen: seen, requiresRefresh: isDue, now: now) {
        case .answer(.proceed(let applied, let appliedVersion)):
            check(applied == credential && appliedVersion == version && seen == version, "an old credential applied")
            check(!isDue, "a credential applied that was due")
        case .answer(.reconsider): check(seen != version, "a second look at the same")
        case .answer(.fail(let error)): checkOwn(error)
        case .wait(let refresh): wait(refresh, seen == version)
        }
    }

    private mutating func retry() {
        lastWaiter += 1
        let sent = seenVersion()
        switch machine.retry(lastWaiter, sent: sent, now: now) {
        case .answer(.proceed(let held, _)): check(held == credential && sent != version, "no reason to go on")
        case .answer(.reconsider): check(false, "a retry looks again")
        case .answer(.fail(let error)): if !(error is Failure) { checkOwn(error) }
        case .wait(let refresh): wait(refresh, sent == version)
        }
    }

    private mutating func setCredential() {
        lastCredential += 1
        credential = Bool.random(using: &numbers) ? lastCredential : nil
        version += 1
        take(machine.set(credential), releasesAll: true) { [credential] answer in
            switch answer {
            case .reconsider: credential != nil
            case .fail(AuthenticationError.missingCredential): credential == nil
            default: false
            }
        }
    }

    private mutating func endRefresh() {
        guard let refresh = underWay else { return }
        underWay = nil
        let isPresent = refresh.version == version
        if Bool.random(using: &numbers) {
            lastCredential += 1
            let new = lastCredential
            if isPresent {
                credential = new
                version += 1
            }
            take(machine.refreshed(refresh.number, .success(new), now: now), releasesAll: isPresent) { answer in
                if case .proceed(new, _) = answer { isPresent } else { answer.isExcessive && !isPresent }
            }
        } else {
            let failure = Failure(number: refresh.number)
            take(machine.refreshed(refresh.number, .failure(failure), now: now), releasesAll: isPresent) { answer in
                if case .fail(let error) = answer, error as? Failure == failure { return isPresent }
                return answer.isExcessive && !isPresent
            }
        }
    }

    // MARK: What is promised

    private mutating func wait(_ refresh: Machine.Refresh?, _ isPresent: Bool) {
        check(isPresent, "waits for the refresh of a credential that is not the present one")
        waiting.insert(lastWaiter)
        if let refresh { begin(refresh) }
    }

    private mutating func begin(_ refresh: Machine.Refresh) {
        check(underWay == nil, "two refreshes at a time")
        check(refresh.credential == credential, "an old credential is refreshed")
        check(waiting.contains(refresh.waiter), "a refresh for nobody")
        underWay = (refresh.number, version)
    }

    private mutating func take(_ release: Machine.Release, releasesAll: Bool, _ isRight: (Machine.Answer) -> Bool) {
        for (waiter, answer) in release.answers {
            check(waiting.remove(waiter) != nil, "\(waiter) is answered without waiting")
            check(isRight(answer), "\(answer) is no answer to that")
        }
        check(!releasesAll || waiting.isEmpty, "some are left waiting")
        if let refresh = release.refresh { begin(refresh) }
    }

    private mutating func checkOwn(_ error: any Error) {
        switch error as? AuthenticationError {
        case .missingCredential: check(credential == nil, "a credential is not missing")
        case .excessiveRefresh: check(credential != nil, "nothing to refresh too often")
        case nil: check(false, "\(error) out of nowhere")
        }
    }

    private mutating func seenVersion() -> Int {
        version - (Int.random(in: 0..<4, using: &numbers) == 0 ? 1 : 0)
    }

    private mutating func check(_ isRight: Bool, _ message: @autoclosure () -> String) {
        if !isRight, fault == nil { fault = message() }
    }
}

extension AuthenticationStateMachine.Answer {
    fileprivate var isExcessive: Bool {
        if case .fail(let error) = self { error as? AuthenticationError == .excessiveRefresh } else { false }
    }
}
