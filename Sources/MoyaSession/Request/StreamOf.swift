/// A sequence of events of a request, which ends with the request.
public struct StreamOf<Element>: AsyncSequence {
    /// The error type: iterating throws nothing.
    public typealias Failure = Never
    /// Adds elements to a sequence; see `AsyncStream`.
    public typealias Continuation = AsyncStream<Element>.Continuation
    /// A limit of the elements that wait for the loop; see `AsyncStream`.
    public typealias BufferingPolicy = Continuation.BufferingPolicy

    private let elements: AsyncStream<Element>
    /// Called when the loop is left.
    private let onLeaving: (@Sendable () -> Void)?

    /// - Parameter onLeaving: Called when an iterator is released, also while the sequence itself is retained.
    init(_ elements: AsyncStream<Element>, onLeaving: (@Sendable () -> Void)? = nil) {
        self.elements = elements
        self.onLeaving = onLeaving
    }

    /// Makes an iterator; several iterators of a sequence share its elements.
    public func makeAsyncIterator() -> Iterator {
        Iterator(elements: elements.makeAsyncIterator(), leaving: onLeaving.map(Leaving.init))
    }

    /// Iterates over the elements.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var elements: AsyncStream<Element>.Iterator
        fileprivate let leaving: Leaving?

        /// Waits for the next element; `nil` at the end, and if the task is cancelled.
        public mutating func next() async -> Element? { await elements.next() }

        /// Waits for the next element; `nil` at the end, and if the task is cancelled.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await elements.next(isolation: actor)
        }
    }
}

extension StreamOf: Sendable where Element: Sendable {}

/// Calls a closure when the last copy of an iterator is released.
private final class Leaving: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }
}
