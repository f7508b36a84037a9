/// A value that is set once, and its waiters.
struct Promise<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func fulfill(_ value: Value) { continuation.yield(value) }

    /// The next value.
    var value: Value {
        get async {
            for await value in stream { return value }
            fatalError("The promise was dropped.")
        }
    }
}
