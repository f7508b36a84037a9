public import Foundation
import MoyaTransport

/// Reads the body of a ``DataStreamRequest`` with `for await`.
///
/// Every sequence that is made before the request starts receives the whole body; a later one receives what still
/// arrives. Leaving its loop, or cancelling the loop's task, cancels the request, unless
/// `automaticallyCancelling` is `false`.
///
/// A slow loop slows the server down, and no part is lost. With a limited buffering policy, parts that the loop is too
/// slow for are dropped instead; the end always arrives.
public struct DataStreamTask: Sendable {
    /// The parts of a body, then its end.
    public typealias Stream<Success: Sendable, Failure: Error> = StreamOf<DataStreamRequest.Stream<Success, Failure>>

    private let request: DataStreamRequest

    fileprivate init(_ request: DataStreamRequest) { self.request = request }

    /// Makes a sequence of the chunks, and starts the request if its session starts requests automatically.
    public func streamingData(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        bufferingPolicy: Stream<Data, Never>.BufferingPolicy = .unbounded
    ) -> Stream<Data, Never> {
        sequence(.data, cancels: shouldAutomaticallyCancel, bufferingPolicy)
    }

    /// Makes a sequence of the chunks as UTF-8 text; a character that two chunks share comes with the second one.
    public func streamingStrings(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        bufferingPolicy: Stream<String, Never>.BufferingPolicy = .unbounded
    ) -> Stream<String, Never> {
        sequence(.text(), cancels: shouldAutomaticallyCancel, bufferingPolicy)
    }

    /// Makes a sequence of the values decoded from the chunks, each of which has to be a whole value.
    public func streamingDecodables<T: Decodable & Sendable>(
        _ type: T.Type = T.self, automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        bufferingPolicy: Stream<T, SessionError>.BufferingPolicy = .unbounded
    ) -> Stream<T, SessionError> {
        streamingResponses(
            serializedUsing: DecodableStreamSerializer<T>(), automaticallyCancelling: shouldAutomaticallyCancel,
            bufferingPolicy: bufferingPolicy)
    }

    /// Makes a sequence of the values that a serializer makes of the chunks.
    public func streamingResponses<Serializer: DataStreamSerializer>(
        serializedUsing serializer: Serializer, automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        bufferingPolicy: Stream<Serializer.SerializedObject, SessionError>.BufferingPolicy = .unbounded
    ) -> Stream<Serializer.SerializedObject, SessionError> {
        sequence(ChunkSerializer(serializer), cancels: shouldAutomaticallyCancel, bufferingPolicy)
    }

    /// Cancels the request.
    public func cancel() { request.cancel() }

    /// Suspends the request.
    public func suspend() { request.suspend() }

    /// Starts or resumes the request.
    public func resume() { request.resume() }

    private func sequence<Success, Failure>(
        _ serializer: ChunkSerializer<Success, Failure>, cancels: Bool,
        _ policy: Stream<Success, Failure>.BufferingPolicy
    ) -> Stream<Success, Failure> {
        let parts = HandedParts<DataStreamRequest.Stream<Success, Failure>>(policy)
        request.receive(serializer) { stream, release in
            parts.put(stream, isLast: stream.completion != nil, release)
        }
        let reading = Reading(parts, of: cancels ? request : nil)
        let end: @Sendable () -> Void = { reading.end() }
        let elements = AsyncStream(unfolding: { await reading.parts.next() }, onCancel: end)
        // A request that goes on does not wait for a loop that was left.
        return StreamOf(elements, onLeaving: cancels ? end : { reading.parts.close() })
    }
}

extension DataStreamRequest {
    /// Makes a task that reads the body with `for await`.
    public func streamTask() -> DataStreamTask { DataStreamTask(self) }
}

/// Ends a sequence when its iteration is released.
private final class Reading<Part: Sendable>: Sendable {
    let parts: HandedParts<Part>
    private let cancelled: DataStreamRequest?

    init(_ parts: HandedParts<Part>, of cancelled: DataStreamRequest?) {
        self.parts = parts
        self.cancelled = cancelled
    }

    deinit { end() }

    func end() {
        parts.close()
        cancelled?.cancel()
    }
}

/// Hands each part to one of the loops that wait; each part's memory counts until the loop takes the part.
private final class HandedParts<Part: Sendable>: Sendable {
    private struct State {
        var parts: [(part: Part, release: @Sendable () -> Void)] = []
        var waiters: [CheckedContinuation<Part?, Never>] = []
        /// `true` if no part follows.
        var isOver = false
        /// `true` if the reader has left.
        var isClosed = false

        mutating func takeWaiters() -> [CheckedContinuation<Part?, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// The loop that receives a part, the loops that end with it, and the release of memory.
    private typealias Handing = (
        receiver: CheckedContinuation<Part?, Never>?, idle: [CheckedContinuation<Part?, Never>],
        release: (@Sendable () -> Void)?
    )

    private let state = Lock(State())
    private let policy: StreamOf<Part>.BufferingPolicy

    init(_ policy: StreamOf<Part>.BufferingPolicy) { self.policy = policy }

    func put(_ part: Part, isLast: Bool, _ release: @escaping @Sendable () -> Void) {
        let (receiver, idle, released) = state.withLock { [policy] state -> Handing in
            if isLast { state.isOver = true }
            if state.isClosed { return (nil, [], release) }
            if !state.waiters.isEmpty {
                let receiver = state.waiters.removeFirst()
                return (receiver, isLast ? state.takeWaiters() : [], release)
            }
            switch policy {
            // A limit bounds the memory too, so that the transport need not wait.
            case .bufferingOldest(let limit):
                if isLast || state.parts.count < limit { state.parts.append((part, {})) }
                return (nil, [], release)
            case .bufferingNewest(let limit):
                state.parts.append((part, {}))
                guard state.parts.count > max(limit, isLast ? 1 : 0) else { return (nil, [], release) }
                // Released after unlocking, since a value may have user code.
                let dropped = state.parts.removeFirst()
                return (nil, [], { withExtendedLifetime(dropped) { release() } })
            default:
                state.parts.append((part, release))
                return (nil, [], nil)
            }
        }
        released?()
        receiver?.resume(returning: part)
        for waiter in idle { waiter.resume(returning: nil) }
    }

    /// The next part; `nil` after the last one.
    func next() async -> Part? {
        await withCheckedContinuation { continuation in
            let (known, release) = state.withLock { state -> (Part??, (@Sendable () -> Void)?) in
                if !state.parts.isEmpty {
                    let next = state.parts.removeFirst()
                    return (.some(next.part), next.release)
                }
                guard !state.isOver, !state.isClosed else { return (.some(nil), nil) }
                state.waiters.append(continuation)
                return (nil, nil)
            }
            release?()
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Drops what is left and what follows.
    func close() {
        let (waiters, dropped) = state.withLock { state in
            state.isClosed = true
            defer { state.parts = [] }
            return (state.takeWaiters(), state.parts)
        }
        for part in dropped { part.release() }
        for waiter in waiters { waiter.resume(returning: nil) }
    }
}
