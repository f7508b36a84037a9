import Foundation
import MoyaTransport

/// One iteration of an ``UploadStream``: hands its elements from a task to the wire, one at a time.
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
        /// How many bytes of the element the wire has.
        var taken = 0
        /// The bytes of all elements so far.
        var count: Int64 = 0
        /// The element that makes the stated length full, until the sequence has ended.
        var last: Data?
        /// `true` if nothing follows the element.
        var isLast = false
        /// `true` if the wire has any byte.
        var hasGiven = false
        var isClosed = false
        var task: Task<Void, Never>?
        /// The wire, which waits for an element.
        var reader: (@Sendable () -> Void)?
        /// The task, which waits until the wire asks for another element.
        var producer: UnsafeContinuation<Void, Never>?
    }

    /// The next thing to do for the wire.
    private enum Step {
        case begin
        case wait(UnsafeContinuation<Void, Never>?)
        case give(Int)
        case end(SessionError?)
    }

    private let stream: UploadStream
    private let length: Int64?
    private let state = Lock(State())

    /// - Parameter length: The number of bytes that the wire states.
    init(of stream: UploadStream, length: Int64?) {
        self.stream = stream
        self.length = length
    }

    /// `true` if the wire has any byte: these are gone.
    var hasGiven: Bool { state.withLock { $0.hasGiven } }

    // MARK: The wire

    /// Fills the buffer with what there is of an element; see `TransportBodyReader`.
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
            begin()
            return nil
        case .wait(let producer):
            producer?.resume()
            return nil
        case .give(let count): return count
        case .end(let error?): throw error
        case .end(nil): return 0
        }
    }

    private func begin() {
        let task = Task {
            do {
                try await stream.read(into: self)
                finish(nil)
            } catch {
                finish((error as? SessionError) ?? .createUploadableFailed(error: error))
            }
        }
        let isClosed = state.withLock { state in
            state.task = task
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Ends the iteration, whose bytes are not wanted any more.
    func close() {
        let (task, producer) = state.withLock { state in
            state.isClosed = true
            // Never a plain end, which would make a body whole that is not.
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
        /// The element is kept; whoever waits for it is told by the closure.
        case taken((@Sendable () -> Void)?)
        case unwanted
        case tooLong(Int64)
    }

    /// Takes an element, and returns when the wire asks for another one; `false` when it wants no more.
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

    /// Returns when the wire asks for an element, or wants no more.
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
    /// Has the wire read an element; returns how to wake it.
    fileprivate mutating func hand(over element: Data) -> (@Sendable () -> Void)? {
        phase = .ready
        self.element = element
        taken = 0
        return reader.take()
    }

    /// Copies what there is of the element.
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
