#if os(Linux)
import Dispatch
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaCurl

/// The label of a queue, or of the current one; Swift's Dispatch on Linux has only the former.
@_silgen_name("dispatch_queue_get_label")
private func dispatch_queue_get_label(_ queue: OpaquePointer?) -> UnsafePointer<CChar>

@Suite struct CompletionBatchTests {
    /// Records its delivery, and the batch of its thread.
    private final class Noted: DeferredCompletion {
        let number: Int
        let priority: TaskPriority
        let log: Log

        init(_ number: Int, _ log: Log, priority: TaskPriority = .medium) {
            self.number = number
            self.priority = priority
            self.log = log
        }

        func deliver() {
            log.record(
                number, isInBatch: CompletionBatch.current != nil, queue: String(cString: dispatch_queue_get_label(nil))
            )
        }
    }

    private final class Log: Sendable {
        private struct Entry {
            var number: Int
            var isInBatch: Bool
            var queue: String
        }

        private let entries = Lock<[Entry]>([])
        let isFull = DispatchSemaphore(value: 0)
        private let expected: Int

        init(expecting expected: Int) { self.expected = expected }

        var numbers: [Int] { entries.withLock { $0.map(\.number) } }
        /// Each queue once.
        var queues: Set<String> { entries.withLock { Set($0.map(\.queue)) } }
        var areInBatch: [Bool] { entries.withLock { $0.map(\.isInBatch) } }

        func record(_ number: Int, isInBatch: Bool, queue: String) {
            let count = entries.withLock { entries in
                entries.append(Entry(number: number, isInBatch: isInBatch, queue: queue))
                return entries.count
            }
            if count == expected { isFull.signal() }
        }
    }

    @Test func threadHasABatchOnlyWhileItRunsOne() {
        #expect(CompletionBatch.current == nil)
        let batch = CompletionBatch()
        batch.run { #expect(CompletionBatch.current === batch) }
        #expect(CompletionBatch.current == nil)
    }

    @Test func deliversOnlyAfterTheTick() {
        let log = Log(expecting: 1)
        let batch = CompletionBatch()
        batch.put(Noted(1, log))
        #expect(log.numbers.isEmpty)
        batch.end()
        #expect(log.numbers == [1])
    }

    @Test func deliversASingleCompletionOnItsOwnThread() {
        let log = Log(expecting: 1)
        let batch = CompletionBatch()
        batch.run {
            batch.put(Noted(1, log))
            batch.end()
        }
        #expect(log.areInBatch == [true])
    }

    @Test func severalCompletionsAreDeliveredInOrderByAnotherThread() {
        let log = Log(expecting: 20)
        let batch = CompletionBatch()
        batch.run {
            for number in 0..<20 { batch.put(Noted(number, log)) }
            batch.end()
        }
        log.isFull.wait()
        #expect(log.numbers == Array(0..<20))
        #expect(log.areInBatch == Array(repeating: false, count: 20))
    }

    @Test func severalCompletionsAreDeliveredWithTheirHighestPriority() {
        let batch = CompletionBatch()
        for (priorities, queue) in [
            ([TaskPriority.utility, .high, .medium], "com.apple.root.user-initiated-qos"),
            ([.utility, .background], "com.apple.root.utility-qos"),
        ] {
            let log = Log(expecting: priorities.count)
            for priority in priorities { batch.put(Noted(0, log, priority: priority)) }
            batch.end()
            log.isFull.wait()
            #expect(log.queues == [queue])
        }
    }

    @Test func mainQueueCompletionsRunThereInOrder() async {
        let log = Log(expecting: 3)
        let batch = CompletionBatch()
        for number in 0..<3 { batch.put(Noted(number, log), on: nil) }
        batch.end()
        // Behind them in the queue.
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(log.numbers == [0, 1, 2])
    }

    @Test func completionsOfAQueueRunThereInOrderAfterTheTick() {
        let log = Log(expecting: 3)
        let batch = CompletionBatch()
        let queue = DispatchQueue(label: "org.moya.tests.ordered")
        for number in 0..<3 { batch.put(Noted(number, log), on: queue) }
        queue.sync {}
        #expect(log.numbers.isEmpty)
        batch.end()
        queue.sync {}
        #expect(log.numbers == [0, 1, 2])
        #expect(log.queues == ["org.moya.tests.ordered"])
    }

    @Test func batchDeliversEachCompletionOnce() {
        let log = Log(expecting: 1)
        let batch = CompletionBatch()
        batch.put(Noted(1, log))
        batch.end()
        batch.end()
        #expect(log.numbers == [1])
    }
}
#endif
