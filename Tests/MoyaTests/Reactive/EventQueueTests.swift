import Testing

@testable import Moya

@Suite struct EventQueueTests {
    private let error = MoyaError.requestMapping("bad")

    private func started(_ demand: Int) -> EventQueue<Int> {
        var queue = EventQueue<Int>()
        _ = queue.request(demand)
        return queue
    }

    /// The events that may be delivered now, in words.
    private func delivered(_ queue: inout EventQueue<Int>) -> [String] {
        var events: [String] = []
        guard queue.beginDelivery() else { return [] }
        while let event = queue.next() {
            switch event {
            case .value(let value): events.append("\(value)")
            case .finished: events.append("finished")
            case .failed: events.append("failed")
            }
        }
        return events
    }

    @Test func onlyTheFirstDemandMakesTheCall() {
        var queue = EventQueue<Int>()
        let first = queue.request(1)
        let second = queue.request(1)
        #expect(first)
        #expect(!second)
    }

    @Test func demandAfterACancellationMakesNoCall() {
        var queue = EventQueue<Int>()
        queue.cancel()
        let isFirst = queue.request(1)
        #expect(!isFirst)
    }

    @Test func demandWithoutAValueBeginsNoDelivery() {
        var queue = started(1)
        let begins = queue.beginDelivery()
        queue.append(1)
        #expect(!begins)
        #expect(delivered(&queue) == ["1"])
    }

    @Test func valuesAndTheEndComeInOrder() {
        var queue = started(.max)
        for value in 1...3 { queue.append(value) }
        queue.finish(nil)
        #expect(delivered(&queue) == ["1", "2", "3", "finished"])
    }

    @Test func deliversNoMoreValuesThanRequested() {
        var queue = started(2)
        for value in 1...3 { queue.append(value) }
        #expect(delivered(&queue) == ["1", "2"])
        _ = queue.request(1)
        #expect(delivered(&queue) == ["3"])
    }

    @Test func valueWithoutDemandIsReplacedByTheNext() {
        var queue = started(1)
        for value in 1...4 { queue.append(value) }
        _ = queue.request(.max)
        #expect(delivered(&queue) == ["1", "4"])
    }

    @Test func endWaitsForTheLastValue() {
        var queue = started(1)
        for value in 1...2 { queue.append(value) }
        queue.finish(nil)
        #expect(delivered(&queue) == ["1"])
        _ = queue.request(1)
        #expect(delivered(&queue) == ["2", "finished"])
    }

    @Test func failureFollowsRequestedValuesWithoutFurtherDemand() {
        var queue = started(1)
        for value in 1...2 { queue.append(value) }
        queue.finish(error)
        #expect(delivered(&queue) == ["1", "failed"])
        _ = queue.request(1)
        #expect(delivered(&queue) == [])
    }

    @Test func endIsTheLastEvent() {
        var queue = started(.max)
        queue.finish(nil)
        queue.append(1)
        queue.finish(error)
        #expect(delivered(&queue) == ["finished"])
    }

    @Test func cancellationStopsDelivery() {
        var queue = started(.max)
        queue.append(1)
        queue.cancel()
        queue.append(2)
        queue.finish(error)
        #expect(delivered(&queue) == [])
        #expect(queue.isCancelled)
    }

    @Test func ignoresACancellationAfterTheEnd() {
        var queue = started(.max)
        queue.finish(nil)
        _ = delivered(&queue)
        queue.cancel()
        #expect(!queue.isCancelled)
    }

    @Test func onlyOneDeliversAtATime() {
        var queue = started(.max)
        queue.append(1)
        let first = queue.beginDelivery()
        #expect(first)
        #expect(delivered(&queue) == [])
    }

    @Test func demandsDoNotOverflow() {
        var queue = started(.max)
        _ = queue.request(.max)
        for value in 1...2 { queue.append(value) }
        #expect(delivered(&queue) == ["1", "2"])
    }
}
