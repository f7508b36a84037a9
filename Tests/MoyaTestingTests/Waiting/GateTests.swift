import MoyaTesting
import Testing

@Suite(.timeLimit(.minutes(3))) struct GateTests {
    @Test func openGateHoldsNoTask() async throws {
        try await Gate(isOpen: true).wait()
    }

    @Test func openingReleasesPresentAndLaterTasks() async throws {
        let gate = Gate()
        async let first: Void = gate.wait()
        async let second: Void = gate.wait()
        try await gate.waitForArrivals(2)
        gate.open()
        _ = try await (first, second)
        try await gate.wait()
    }

    @Test func aGateOpenedTwicePassesTwoTasks() async throws {
        let gate = Gate()
        let passed = Gate()
        let waiting = Task {
            try await withThrowingDiscardingTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await gate.wait()
                        try await passed.wait()
                    }
                }
            }
        }
        try await gate.waitForArrivals(3)
        gate.open(times: 2)
        try await passed.waitForArrivals(2)
        #expect(passed.arrivals == 2)
        gate.open()
        passed.open()
        try await waiting.value
        #expect(passed.arrivals == 3)
    }

    @Test func remainingPassesServeLaterArrivals() async throws {
        let gate = Gate()
        gate.open(times: 1)
        try await gate.wait()
        let late = Task { try await gate.wait() }
        try await gate.waitForArrivals(2)
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func aShutGateHoldsAgain() async throws {
        let gate = Gate(isOpen: true)
        gate.shut()
        let waiting = Task { try await gate.wait() }
        try await gate.waitForArrivals(1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func aTaskCancelledBeforehandDoesNotWait() async {
        let gate = Gate()
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.wait()
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func missingArrivalsAreReportedByNumber() async {
        let gate = Gate()
        await #expect(throws: TestSupportError.timedOut("2 arrivals at a gate; 0 came")) {
            try await gate.waitForArrivals(2, within: .milliseconds(1))
        }
    }

    @Test func aThousandWaitersAllGetThrough() async throws {
        let gate = Gate()
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<1_000 { group.addTask { try await gate.wait() } }
            try await gate.waitForArrivals(1_000)
            gate.open()
        }
    }
}
