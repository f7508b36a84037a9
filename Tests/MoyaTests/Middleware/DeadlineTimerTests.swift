import Testing

@testable import Moya

@Suite struct DeadlineTimerTests {
    @Test func actionsRunWhenTheyAreDue() async {
        let (first, second) = (Promise<Void>(), Promise<Void>())
        let entries = [
            DeadlineTimer.shared.add(in: 0.02) { second.fulfill(()) },
            DeadlineTimer.shared.add(in: 0.01) { first.fulfill(()) },
        ]
        await first.value
        await second.value
        #expect(entries.allSatisfy { $0?.index == nil })
    }

    @Test func cancelledActionNeverRuns() async {
        let runs = Recorder<Void>()
        let entry = DeadlineTimer.shared.add(in: 0.01) { runs.append(()) }
        entry.map { CallTimer.entry($0) }?.cancel()
        let later = Promise<Void>()
        _ = DeadlineTimer.shared.add(in: 0.03) { later.fulfill(()) }
        await later.value
        #expect(runs.count == 0)
    }

    @Test(arguments: [Double.infinity, .nan, 0, -1]) func timeThatNeverComesIsNoTimer(_ seconds: Double) {
        #expect(DeadlineTimer.shared.add(in: seconds) {} == nil)
    }

    @Test func cancelledActionIsReleased() {
        final class Held: Sendable {}
        weak var left: Held?
        do {
            let held = Held()
            left = held
            let entry = DeadlineTimer.shared.add(in: 900) { withExtendedLifetime(held) {} }
            entry.map { CallTimer.entry($0) }?.cancel()
        }
        #expect(left == nil)
    }
}
