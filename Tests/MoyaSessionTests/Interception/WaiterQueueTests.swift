import Testing

@testable import MoyaSession

@Suite struct WaiterQueueTests {
    @Test func theFirstIsTheOldestRemainingWaiter() {
        var line = WaiterQueue<Int>()
        for waiter in 1...3 { line.append(waiter) }
        #expect(line.first == 1)
        let wasThere = line.remove(1)
        #expect(wasThere)
        #expect(line.first == 2)
    }

    @Test func removedWaiterIsGone() {
        var line = WaiterQueue<Int>()
        for waiter in 0..<100 { line.append(waiter) }
        let left = (0..<100).filter { $0 % 7 != 0 && line.remove($0) }
        #expect(left.count == 85)
        let isStillThere = line.remove(1)
        #expect(!isStillThere)
        let all = line.removeAll()
        #expect(all == Array(stride(from: 0, to: 100, by: 7)))
        #expect(line.first == nil)
    }
}
