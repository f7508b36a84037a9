import MoyaTesting
import Testing

/// Limits of waits for a condition.
@Suite(.timeLimit(.minutes(3))) struct TimeLimitTests {
    private let gate = Gate()

    @Test func aFulfilledConditionNeedsNoTime() async throws {
        for _ in 0..<1_000 { try await gate.waitForArrivals(0, within: .zero) }
    }

    @Test func anUnfulfilledConditionExceedsItsLimit() async {
        await #expect(throws: TestSupportError.self) { try await gate.waitForArrivals(1, within: .zero) }
    }
}
