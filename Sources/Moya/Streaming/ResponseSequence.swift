import MoyaSession

/// The elements of a response that is streamed: its bytes, lines, events or JSON values.
///
/// It can be iterated once: a second iteration ends with ``StreamError/alreadyIterated``. Leaving the loop, or cancelling
/// its task, ends the exchange at once. A loop that is slow holds the server back, and memory stays bounded.
public struct ResponseSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The error of a stream that fails.
    public typealias Failure = MoyaError

    private let iteration = Once()
    private let makeReader: @Sendable () -> any StreamReader<Element>

    init(_ makeReader: @escaping @Sendable () -> any StreamReader<Element>) { self.makeReader = makeReader }

    /// Makes the iterator; a call that was not made yet is made for its first element.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: iteration.isFirst() ? makeReader() : nil) }

    /// Yields the elements of one response.
    public struct Iterator: AsyncIteratorProtocol {
        /// `nil` where another iterator has the elements.
        private var reader: (any StreamReader<Element>)?
        private var isRefused: Bool

        init(reader: (any StreamReader<Element>)?) {
            self.reader = reader
            isRefused = reader == nil
        }

        /// The next element; `nil` at the end.
        ///
        /// An element that cannot be decoded is an error that has its text, and the elements after it can be asked for.
        /// After every other error the stream is over.
        ///
        /// - Throws: `MoyaError`.
        public mutating func next() async throws(MoyaError) -> Element? { try await element(isolation: nil) }

        /// The next element; `nil` at the end.
        ///
        /// - Throws: `MoyaError`, as ``next()`` does.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(MoyaError) -> Element? {
            try await element(isolation: actor)
        }

        private mutating func element(isolation actor: isolated (any Actor)?) async throws(MoyaError) -> Element? {
            guard let reader else {
                guard isRefused else { return nil }
                isRefused = false
                throw .underlying(StreamError.alreadyIterated, nil)
            }
            return try await reader.next(isolation: actor)
        }
    }
}

/// Gives the elements of a stream, one after the other, to one iterator.
protocol StreamReader<Element>: AnyObject {
    associatedtype Element: Sendable

    /// The next element; `nil` at the end.
    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Element?
}
