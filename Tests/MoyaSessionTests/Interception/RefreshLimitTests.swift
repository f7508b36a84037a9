import Testing

@testable import MoyaSession

@Suite struct RefreshLimitTests {
    @Test func allowsTheMaximumWithinTheInterval() {
        var limit = RefreshLimit(interval: 10, maximumAttempts: 2)
        let allowed = (0..<4).map { limit.allowsStart(at: Double($0)) }
        #expect(allowed == [true, true, false, false])
    }

    @Test func theIntervalSlides() {
        var limit = RefreshLimit(interval: 10, maximumAttempts: 2)
        #expect(
            [0, 6, 10, 10.5, 16.5, 17].map { limit.allowsStart(at: $0) } == [true, true, false, true, true, false])
    }

    @Test(arguments: [0, -1, Int.min])
    func limitOfZeroAllowsNoRefresh(attempts: Int) {
        var limit = RefreshLimit(interval: 10, maximumAttempts: attempts)
        let isAllowed = limit.allowsStart(at: 0)
        #expect(!isAllowed)
    }

    @Test(arguments: [Double.infinity, .nan])
    func anIntervalWithoutEndNeverPasses(interval: Double) {
        var limit = RefreshLimit(interval: interval, maximumAttempts: 1)
        let allowed = [0, 1e300].map { limit.allowsStart(at: $0) }
        #expect(allowed == [true, false])
    }
}
