#if os(Linux)
import Dispatch
import MoyaTesting
import MoyaTransport
import Synchronization
import Testing

@testable import MoyaCurl

@Suite struct DeliveryTurnTests {
    /// Writes down that it was delivered, and on the thread of which turn.
    private final class Noted: DeferredDelivery {
        let number: Int
        let log: Log

        init(_ number: Int, _ log: Log) {
            self.number = number
            self.log = log
        }

        func deliver() { log.note(number, isInTurn: DeliveryTurn.current != nil) }
    }

    private final class Log: Sendable {
        private struct Entry {
            var number: Int
            var isInTurn: Bool
        }

        private let entries = Mutex<[Entry]>([])
        let isFull = DispatchSemaphore(value: 0)
        private let expected: Int

        init(expecting expected: Int) { self.expected = expected }

        var numbers: [Int] { entries.withLock { $0.map(\.number) } }
        var areInTurn: [Bool] { entries.withLock { $0.map(\.isInTurn) } }

        func note(_ number: Int, isInTurn: Bool) {
            let count = entries.withLock { entries in
                entries.append(Entry(number: number, isInTurn: isInTurn))
                return entries.count
            }
            if count == expected { isFull.signal() }
        }
    }

    @Test func aThreadHasNoTurnUnlessItRunsOne() {
        #expect(DeliveryTurn.current == nil)
        let turn = DeliveryTurn()
        turn.run { #expect(DeliveryTurn.current === turn) }
        #expect(DeliveryTurn.current == nil)
    }

    @Test func nothingIsHandedOnBeforeTheTurnIsOver() {
        let log = Log(expecting: 1)
        let turn = DeliveryTurn()
        turn.put(Noted(1, log))
        #expect(log.numbers.isEmpty)
        turn.end()
        #expect(log.numbers == [1])
    }

    @Test func aSingleDeliveryIsHandedOnByTheTurnsOwnThread() {
        let log = Log(expecting: 1)
        let turn = DeliveryTurn()
        turn.run {
            turn.put(Noted(1, log))
            turn.end()
        }
        #expect(log.areInTurn == [true])
    }

    @Test func severalAreHandedOnInOrderByAnotherThread() {
        let log = Log(expecting: 20)
        let turn = DeliveryTurn()
        turn.run {
            for number in 0..<20 { turn.put(Noted(number, log)) }
            turn.end()
        }
        log.isFull.wait()
        #expect(log.numbers == Array(0..<20))
        #expect(log.areInTurn == Array(repeating: false, count: 20))
    }

    @Test func whatIsForTheMainQueueRunsThereInOrder() async {
        let log = Log(expecting: 3)
        let turn = DeliveryTurn()
        for number in 0..<3 { turn.putOnMainQueue(Noted(number, log)) }
        turn.end()
        // Behind them in the queue.
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(log.numbers == [0, 1, 2])
    }

    @Test func aTurnHandsOnEachDeliveryOnce() {
        let log = Log(expecting: 1)
        let turn = DeliveryTurn()
        turn.put(Noted(1, log))
        turn.end()
        turn.end()
        #expect(log.numbers == [1])
    }
}
#endif
