import Foundation
import MoyaSession
import MoyaTesting
import Testing

@testable import Moya

@Suite struct DeadlineTimerTests {
    @Test func actionsRunWhenTheyAreDue() async throws {
        let start = ContinuousClock.now
        let times = Recorder<(Double, Duration)>()
        let (first, second) = (Promise<Void>(), Promise<Void>())
        let entries = [(0.4, second), (0.2, first)].map { seconds, promise in
            DeadlineTimer.shared.add(in: seconds) {
                times.append((seconds, ContinuousClock.now - start))
                promise.fulfill(())
            }
        }
        try await first.value
        try await second.value
        #expect(times.values.map(\.0) == [0.2, 0.4])
        #expect(times.values.allSatisfy { $0.1 >= .seconds($0.0) })
        #expect(entries.allSatisfy { $0?.index == nil })
    }

    @Test func cancelledActionNeverRuns() async throws {
        let runs = Recorder<Void>()
        let entry = DeadlineTimer.shared.add(in: 0.5) { runs.append(()) }
        entry.map { CallTimer.entry($0) }?.cancel()
        let later = Promise<Void>()
        _ = DeadlineTimer.shared.add(in: 0.6) { later.fulfill(()) }
        try await later.value
        #expect(runs.count == 0)
    }

    @Test(arguments: [Double.infinity, .nan, 0, -1]) func timeThatNeverComesMakesNoTimer(_ seconds: Double) {
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

    #if os(Linux)
    /// In a separate process, as the next one: its timers and its memory are no other test's.
    @Test func aHundredThousandCancelledActionsLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let add = { DeadlineTimer.shared.add(in: 30) {}.map { CallTimer.entry($0) } }
            for _ in 0..<1_000 { add()?.cancel() }
            let memory = try DeadlineTimerTests.residentBytes()
            for _ in 0..<100_000 { add()?.cancel() }
            #expect(DeadlineTimer.shared.count == 0)
            // An entry that stays has more than forty bytes.
            #expect(try DeadlineTimerTests.residentBytes() - memory < DeadlineTimerTests.noise)
        }
    }

    /// Otherwise a thread would wake up for nothing, 30 s after the last call.
    @Test func theEndOfTheLastCallDisarmsTheTimer() async {
        await #expect(processExitsWith: .success) {
            let add = { DeadlineTimer.shared.add(in: 30) {}.map { CallTimer.entry($0) } }
            let first = add()
            #expect(DeadlineTimer.shared.isArmed)
            // The timer is not disarmed in its first 100 ms.
            let later = Promise<Void>()
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.11) { later.fulfill(()) }
            try await later.value
            let last = add()
            first?.cancel()
            #expect(DeadlineTimer.shared.isArmed)
            last?.cancel()
            #expect(!DeadlineTimer.shared.isArmed)
            _ = add()
            #expect(DeadlineTimer.shared.isArmed)
        }
    }

    @Test func callsWithADeadlineLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let provider = MoyaProvider<AnyTarget>(stubClosure: MoyaProvider.immediatelyStub)
            let target = AnyTarget(baseURL: try #require(URL(string: "https://example.com")))
            for _ in 0..<1_000 { _ = try await provider.request(target, deadline: .seconds(30)) }
            let memory = try DeadlineTimerTests.residentBytes()
            for _ in 0..<10_000 { _ = try await provider.request(target, deadline: .seconds(30)) }
            #expect(DeadlineTimer.shared.count == 0)
            // A timer that stays keeps its call: more than a kilobyte each.
            #expect(try DeadlineTimerTests.residentBytes() - memory < DeadlineTimerTests.noise)
        }
    }

    /// The growth of the memory that nothing explains; the address sanitizer keeps 256 MiB of what was released.
    private static let noise = Sanitizer.isActive ? 512 << 20 : 4 << 20

    /// The memory of the process that is not swapped out.
    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(pages.dropFirst().first.flatMap { Int($0) }) * 4096
    }
    #endif
}
