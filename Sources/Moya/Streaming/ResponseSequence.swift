import Foundation
import MoyaSession

/// The elements of a response that is streamed: its bytes, lines, events or JSON values.
///
/// It can be iterated once: a second iteration ends with ``StreamError/alreadyIterated``. Leaving the loop, or cancelling
/// its task, ends the exchange at once. A loop that is slow holds the server back, and memory stays bounded.
public struct ResponseSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The error of a stream that fails.
    public typealias Failure = MoyaError

    /// Kept by the sequence and its iterator, for the readers do not keep their provider.
    let owner: StreamOwner?
    private let iteration = Once()
    private let makeReader: @Sendable () -> any StreamReader<Element>

    init(of owner: StreamOwner? = nil, _ makeReader: @escaping @Sendable () -> any StreamReader<Element>) {
        self.owner = owner
        self.makeReader = makeReader
    }

    /// Makes the iterator; a call that was not made yet is made for its first element.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: takeReader()?(), provider: owner?.provider) }

    /// Gives the function that makes the reader, the first time.
    func takeReader() -> (@Sendable () -> any StreamReader<Element>)? { iteration.isFirst() ? makeReader : nil }

    /// Yields the elements of one response.
    public struct Iterator: AsyncIteratorProtocol {
        /// `nil` where another iterator has the elements.
        private var reader: (any StreamReader<Element>)?
        private var isRefused: Bool
        private let provider: AnyObject?

        init(reader: (any StreamReader<Element>)?, provider: AnyObject?) {
            self.reader = reader
            self.provider = provider
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

/// The provider that makes the calls of a sequence.
struct StreamOwner: Sendable {
    let provider: any AnyObject & Sendable
    /// The calls that end when the provider is released.
    let calls: ActiveCalls
    let callbackQueue: DispatchQueue?

    init<Target>(_ provider: MoyaProvider<Target>) {
        self.provider = provider
        calls = provider.calls
        callbackQueue = provider.callbackQueue
    }
}

/// Gives the elements of a stream, one after the other, to one iterator.
protocol StreamReader<Element>: AnyObject {
    associatedtype Element: Sendable

    /// The next element; `nil` at the end.
    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Element?
}
