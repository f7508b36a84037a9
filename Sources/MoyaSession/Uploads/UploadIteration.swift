import Foundation
import MoyaTransport

/// One iteration of an ``UploadStream``: passes its elements from a task to the transport, one at a time.
///
///     idle --read--> asked --element--> ready --all taken--> taken --read--> asked
///                      |
///                      +--end, error--> over
///
/// The task waits in `ready` and `taken`, and makes the next element in `asked`.
final class UploadIteration: Sendable {
    fileprivate enum Phase {
        /// There is no task yet.
        case idle
        case asked
        case ready
        case taken
        case over(SessionError?)
    }

    fileprivate struct State {
        var phase = Phase.idle
        var element = Data()
        /// The number of bytes of the element that the transport has taken.
        var taken = 0
        /// The number of bytes in all elements so far.
        var count: Int64 = 0
        /// The element that completes the stated length, until the sequence has ended.
        var last: Data?
        /// `true` if the element is the last one.
        var isLast = false
        /// `true` if the transport has taken any byte.
        var hasGiven = false
        var isClosed = false
        var task: Task<Void, Never>?
        /// The transport's callback, which waits for an element.
        var reader: (@Sendable () -> Void)?
        /// The task, which waits until the transport requests another element.
        var producer: UnsafeContinuation<Void, Never>?
    }

    /// The next step for the transport.
    private enum Step {
        case begin
        case wait(UnsafeContinuation<Void, Never>?)
        case give(Int)
        case end(SessionError?)
    }

    private let stream: UploadStream
    private let length: Int64?
    private let state = Lock(State())

    /// - Parameter length: The number of bytes stated in the request.
    init(of stream: UploadStream, length: Int64?) {
        self.stream = stream
        self.length = length
    }

    /// `true` if the transport has taken any byte, which is then lost.
    var hasGiven: Bool { state.withLock { $0.hasGiven } }

    // MARK: The wire

    /// Fills the buffer with available bytes of an element; see `TransportBodyReader`.
    func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) throws -> Int? {
        let step = state.withLock { state -> Step in
            switch state.phase {
            case .idle:
                state.phase = .asked
                state.reader = whenReadable
                return .begin
            case .asked:
                state.reader = whenReadable
                return .wait(nil)
            case .taken:
                state.phase = .asked
                state.reader = whenReadable
                return .wait(state.producer.take())
            case .ready: return .give(state.give(to: buffer))
            case .over(let error): return .end(error)
            }
        }
        switch step {
        case .begin:
            start()
            return nil
        case .wait(let producer):
            producer?.resume()
            return nil
        case .give(let count): return count
        case .end(let error?): throw error
        case .end(nil): return 0
        }
    }

    private func start() {
        let task = Task {
            do {
                try await stream.read(into: self)
                finish(nil)
            } catch {
                finish(.createUploadableFailed(error: error))
            }
        }
        let isClosed = state.withLock { state in
            state.task = task
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Ends the iteration, whose bytes are no longer needed.
    func close() {
        let (task, producer) = state.withLock { state in
            state.isClosed = true
            // Never a normal end, which would make an incomplete body look complete.
            state.phase = .over(.explicitlyCancelled)
            state.element = Data()
            state.last = nil
            state.reader = nil
            return (state.task.take(), state.producer.take())
        }
        task?.cancel()
        producer?.resume()
    }

    // MARK: The task

    private enum Offer {
        /// The element is stored; the closure notifies its waiter.
        case taken((@Sendable () -> Void)?)
        case unwanted
        case tooLong(Int64)
    }

    /// Passes an element, and returns when the transport requests another one; `false` if it needs no more.
    ///
    /// - Throws: ``UploadStreamError/exceedsLength(_:)``.
    func offer(_ element: Data) async throws(UploadStreamError) -> Bool {
        let offer = state.withLock { state -> Offer in
            guard !state.isClosed, !element.isEmpty else { return state.isClosed ? .unwanted : .taken(nil) }
            if let length, Int64(element.count) > length - state.count { return .tooLong(length) }
            state.count += Int64(element.count)
            guard state.count != length else {
                state.last = element
                return .taken(nil)
            }
            return .taken(state.hand(over: element))
        }
        switch offer {
        case .unwanted: return false
        case .tooLong(let length): throw .exceedsLength(length)
        case .taken(let reader): reader?()
        }
        await waitUntilAsked()
        return state.withLock { !$0.isClosed }
    }

    /// Returns when the transport requests an element, or needs no more.
    private func waitUntilAsked() async {
        await withUnsafeContinuation { continuation in
            let isAsked = state.withLock { state in
                switch state.phase {
                case .ready, .taken:
                    state.producer = continuation
                    return false
                case .idle, .asked, .over: return true
                }
            }
            if isAsked { continuation.resume() }
        }
    }

    private func finish(_ error: SessionError?) {
        let reader = state.withLock { state -> (@Sendable () -> Void)? in
            state.task = nil
            guard !state.isClosed else { return nil }
            if error == nil, let last = state.last.take() {
                state.isLast = true
                return state.hand(over: last)
            }
            if error == nil, let length, state.count < length {
                let error = UploadStreamError.endedEarly(sent: state.count, length: length)
                state.phase = .over(.createUploadableFailed(error: error))
            } else {
                state.phase = .over(error)
            }
            return state.reader.take()
        }
        reader?()
    }
}

extension UploadIteration.State {
    /// Makes an element available to the transport; returns the callback that wakes it.
    fileprivate mutating func hand(over element: Data) -> (@Sendable () -> Void)? {
        phase = .ready
        self.element = element
        taken = 0
        return reader.take()
    }

    /// Copies available bytes of the element.
    fileprivate mutating func give(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, element.count - taken)
        let start = element.startIndex + taken
        element.copyBytes(to: buffer, from: start..<(start + count))
        taken += count
        if count > 0 { hasGiven = true }
        if taken == element.count {
            element = Data()
            phase = isLast ? .over(nil) : .taken
        }
        return count
    }
}
