import Foundation
import MoyaSession
import MoyaTransport

/// The elements of a streamed response: its bytes, lines, events or JSON values.
///
/// It can be iterated once: a second iteration throws ``ResponseStreamError/alreadyIterated``. Leaving the loop, or
/// cancelling its task, ends the exchange at once. A slow loop slows the server down, and memory stays bounded.
public struct ResponseSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The error type of a stream.
    public typealias Failure = MoyaError

    /// Retained by the sequence and its iterator, since the readers do not retain their provider.
    let owner: StreamOwner?
    /// The queue of closures without one; `nil` for the main queue.
    let callbackQueue: DispatchQueue?
    private let iteration = Once()
    private let makeReader: @Sendable () -> any StreamReader<Element>

    init(of owner: StreamOwner, _ makeReader: @escaping @Sendable () -> any StreamReader<Element>) {
        self.owner = owner
        callbackQueue = owner.callbackQueue
        self.makeReader = makeReader
    }

    /// Makes a sequence that needs no provider, such as the body of a response that has arrived.
    init(callbackQueue: DispatchQueue? = nil, _ makeReader: @escaping @Sendable () -> any StreamReader<Element>) {
        owner = nil
        self.callbackQueue = callbackQueue
        self.makeReader = makeReader
    }

    /// Makes the iterator; the call is made for its first element, unless it was already made.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: takeReader()?(), provider: owner?.provider) }

    /// Returns the function that makes the reader, the first time.
    func takeReader() -> (@Sendable () -> any StreamReader<Element>)? { iteration.isFirst() ? makeReader : nil }

    /// Yields the elements of one response.
    public struct Iterator: AsyncIteratorProtocol {
        /// `nil` if another iterator has the elements.
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
        /// An element that cannot be decoded throws an error with its text; a further call returns the following
        /// elements. After any other error the stream has ended.
        ///
        /// - Throws: `MoyaError`.
        public mutating func next() async throws(MoyaError) -> Element? { try await element(isolation: nil) }

        /// The next element; `nil` at the end.
        ///
        /// - Throws: `MoyaError`, like ``next()``.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(MoyaError) -> Element? {
            try await element(isolation: actor)
        }

        private mutating func element(isolation actor: isolated (any Actor)?) async throws(MoyaError) -> Element? {
            guard let reader else {
                guard isRefused else { return nil }
                isRefused = false
                throw .underlying(ResponseStreamError.alreadyIterated, nil)
            }
            return try await reader.next(isolation: actor)
        }
    }
}

/// The provider that makes the calls of a sequence.
struct StreamOwner: Sendable {
    let provider: any AnyObject & Sendable
    let callbackQueue: DispatchQueue?

    init<Target>(_ provider: MoyaProvider<Target>) {
        self.provider = provider
        callbackQueue = provider.callbackQueue
    }
}

/// Reads the elements of a stream in order, for one iterator.
protocol StreamReader<Element>: AnyObject {
    associatedtype Element: Sendable

    /// The next element; `nil` at the end.
    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Element?
}
