/// A value that is set once, and its waiters.
struct Promise<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func fulfill(_ value: Value) { continuation.yield(value) }

    /// The next value.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, as by a time limit.
    var value: Value {
        get async throws {
            for await value in stream { return value }
            throw CancellationError()
        }
    }
}
