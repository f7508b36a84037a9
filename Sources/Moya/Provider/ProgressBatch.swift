import MoyaTransport

/// Byte counts waiting for a queue, which one block delivers in order.
///
/// One block per count would wake a thread of the queue for each chunk of a body.
final class ProgressBatch: Sendable {
    let call: ProviderCall
    private let counts = Lock<[ProviderCall.ByteCount]>([])

    init(of call: ProviderCall) { self.call = call }

    /// Adds a count.
    ///
    /// - Returns: `true` if a block has to be enqueued, which takes this count and those added until it runs.
    func add(_ count: ProviderCall.ByteCount) -> Bool {
        counts.withLock { counts in
            counts.append(count)
            return counts.count == 1
        }
    }

    /// Removes and returns the counts that are not delivered yet.
    func takeAll() -> [ProviderCall.ByteCount] { counts.exchange([]) }
}
