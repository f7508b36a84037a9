import MoyaTransport

/// Counts of bytes on their way to a queue, which one block delivers in order.
///
/// A block for each count would wake the thread of the queue for each chunk of a body.
final class ProgressBatch: Sendable {
    private let counts = Lock<[ProviderCall.ByteCount]>([])

    /// Adds a count.
    ///
    /// - Returns: `true` if a block has to be sent, which takes this count and those that follow until it runs.
    func add(_ count: ProviderCall.ByteCount) -> Bool {
        counts.withLock { counts in
            counts.append(count)
            return counts.count == 1
        }
    }

    /// Takes the counts that are not delivered yet.
    func takeAll() -> [ProviderCall.ByteCount] { counts.exchange([]) }
}
