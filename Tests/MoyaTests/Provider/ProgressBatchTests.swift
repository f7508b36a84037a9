import Testing

@testable import Moya

@Suite struct ProgressBatchTests {
    private let batch = ProgressBatch(of: ProviderCall(target: nil, plugins: [], consumer: .task(nil)))
    private let events = Recorder<Int64>()

    private func add(_ completed: Int64) -> Bool { batch.add(ProviderCall.ByteCount(completed: completed, total: 9)) }

    private func deliver() { batch.deliver { events.append($0.completed) } }

    @Test func firstCountNeedsABlock() { #expect(add(1)) }

    @Test func laterCountsNeedNoBlock() {
        _ = add(1)
        #expect(!add(2) && !add(3))
    }

    @Test func blockTakesAllCountsInOrder() {
        for count in 1...3 { _ = add(Int64(count)) }
        deliver()
        #expect(events.values == [1, 2, 3])
    }

    @Test func countAfterTheBlockNeedsAnother() {
        _ = add(1)
        deliver()
        #expect(add(2))
    }

    @Test func blockOfAConcurrentQueueLeavesItsCountsToTheOneThatDelivers() {
        _ = add(1)
        batch.deliver { count in
            events.append(count.completed)
            guard count.completed == 1 else { return }
            _ = add(2)
            deliver()
            events.append(10)
        }
        #expect(events.values == [1, 10, 2])
    }

    @Test func endFollowsACountThatIsBeingDelivered() {
        _ = add(1)
        batch.deliver { count in
            let events = events
            batch.deliver(then: { events.append(20) }, { events.append($0.completed) })
            events.append(count.completed)
        }
        #expect(events.values == [1, 20])
    }
}
