import Testing

@testable import Moya

@Suite struct ProgressBatchTests {
    private let batch = ProgressBatch(of: ProviderCall(target: nil, plugins: [], consumer: .task(nil)))

    private func add(_ completed: Int64) -> Bool { batch.add(ProviderCall.ByteCount(completed: completed, total: 9)) }

    @Test func firstCountNeedsABlock() { #expect(add(1)) }

    @Test func laterCountsNeedNoBlock() {
        _ = add(1)
        #expect(!add(2) && !add(3))
    }

    @Test func blockTakesAllCountsInOrder() {
        for count in 1...3 { _ = add(Int64(count)) }
        #expect(batch.takeAll().map(\.completed) == [1, 2, 3])
    }

    @Test func countAfterTheBlockNeedsAnother() {
        _ = add(1)
        _ = batch.takeAll()
        #expect(add(2))
    }
}
