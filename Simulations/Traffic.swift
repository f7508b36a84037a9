import Moya
import MoyaTesting

/// Successive calls to a backend, with only the decisions of retries, budgets and deadlines, in virtual time.
struct Traffic {
    /// The backend's treatment of an attempt.
    struct Attempt {
        var latency: Duration
        var outcome: RetryRules.Outcome
    }

    /// The results.
    struct Figures {
        var calls = 0
        var attempts = 0
        var mostAttemptsOfACall = 0
        /// The attempts that began, or with providers the calls that ended, after the deadline of their call.
        var brokenDeadlines = 0
        var cutByDeadline = 0

        /// The number of retries per call.
        var extraLoad: Double { Double(attempts - calls) / Double(calls) }
    }

    private struct Call {
        let begin: Duration
        let total: Duration?
        var attempts = 0
        /// The end of the current attempt.
        var outcome = RetryRules.Outcome.final
        var isCut = false
    }

    private enum Event {
        case arrive
        case send(Int)
        case end(Int)
    }

    var calls: Int
    var interval: Duration
    var rules: RetryRules
    var bucket: RetryBucket?
    var isRepeatable = true
    /// The time limit of each attempt.
    var attemptDeadline: Duration?
    /// The time limit of each call.
    var total: (inout SeededGenerator) -> Duration? = { _ in nil }
    /// The behaviour of the backend.
    var backend: (inout SeededGenerator) -> Attempt
    var generator: SeededGenerator

    mutating func run() -> Figures {
        var figures = Figures()
        var queue = EventQueue<Event>()
        var open: [Call] = []
        open.reserveCapacity(calls)
        queue.add(.arrive, at: .zero)
        while let (now, event) = queue.next() {
            switch event {
            case .arrive:
                open.append(Call(begin: now, total: total(&generator)))
                figures.calls += 1
                bucket?.deposit(at: now)
                queue.add(.send(open.count - 1), at: now)
                if figures.calls < calls { queue.add(.arrive, at: now + interval) }
            case .send(let index):
                let end = begin(&open[index], at: now, &figures)
                queue.add(.end(index), at: end)
            case .end(let index):
                if let time = decide(&open[index], at: now, &figures) { queue.add(.send(index), at: time) }
            }
        }
        return figures
    }

    /// Sends an attempt; returns the time of its end.
    private mutating func begin(_ call: inout Call, at now: Duration, _ figures: inout Figures) -> Duration {
        if let total = call.total, now >= call.begin + total { figures.brokenDeadlines += 1 }
        let attempt = backend(&generator)
        call.attempts += 1
        call.outcome = attempt.outcome
        call.isCut = false
        figures.attempts += 1
        figures.mostAttemptsOfACall = max(figures.mostAttemptsOfACall, call.attempts)
        var latency = attempt.latency
        if let attemptDeadline, latency > attemptDeadline {
            latency = attemptDeadline
            call.outcome = .interrupted
        }
        if let total = call.total, now + latency > call.begin + total {
            call.isCut = true
            return call.begin + total
        }
        return now + latency
    }

    /// Decides what follows an attempt; returns the time of the next one, if there is one.
    private mutating func decide(_ call: inout Call, at now: Duration, _ figures: inout Figures) -> Duration? {
        if call.isCut {
            figures.cutByDeadline += 1
            return nil
        }
        let remaining = call.total.map { call.begin + $0 - now }
        let wait = rules.wait(
            after: call.attempts, call.outcome, isRepeatable: isRepeatable, remaining: remaining, using: &generator)
        guard let wait, bucket?.withdraw(at: now) ?? true else { return nil }
        return now + wait
    }
}
