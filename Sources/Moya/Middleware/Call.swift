import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A call on its way through the middleware of a provider.
public struct Call: Sendable {
    /// The target of the call: the one given to the provider or, for a `MultiTarget`, the one inside.
    public let target: any TargetType
    /// The kind of request and the way its response is received, as the provider's `endpointClosure` has them.
    public let task: RequestTask
    /// The request, before the session's adapters and the plugins see it; a middleware may change it.
    public var request: URLRequest
    /// 1, and one more each time a middleware further out calls again.
    public private(set) var attempt = 1
    /// The time limits of the call, of the session, the provider, the target and the caller together.
    public let deadlines: Deadlines

    /// The names of header fields that hold the call's credential, which no other origin gets.
    var credentialFields: Set<String> = []

    /// The place of the call among all others, by when they were made.
    let number: UInt64
    let timeline: Timeline
    /// The provider's plugins, and what their place needs; `nil` in tests of a middleware.
    var plugins: PluginContext?
    /// The requests of plugins that saw the call before it had a session's request.
    var impending: UnsentRequest?

    /// Makes a call, for tests of a middleware.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - request: The request of the target.
    ///   - deadlines: The time limits of the call, from now on.
    ///   - clock: Measures every wait.
    public init(
        target: any TargetType, request: URLRequest, deadlines: Deadlines = Deadlines(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            target: target, task: target.task, request: request, deadlines: deadlines, number: CallNumber.next(),
            timeline: Timeline(clock))
    }

    init(
        target: any TargetType, task: RequestTask, request: URLRequest, deadlines: Deadlines, number: UInt64,
        timeline: Timeline
    ) {
        self.target = target.innermost
        self.task = task
        self.request = request
        self.deadlines = deadlines
        self.number = number
        self.timeline = timeline
    }

    /// The clock that every wait of the call is measured with.
    public var clock: any Clock<Duration> { timeline.clock }

    /// The time since the call began.
    public var elapsed: Duration { timeline.now }

    /// The time left until the total deadline, negative after it; `nil` when there is none.
    public var remaining: Duration? { deadlines.total.map(timeline.remaining) }

    /// The same call, to be passed on once more.
    public func again() -> Call {
        var call = self
        call.attempt += 1
        return call
    }

    /// `true` if the call can be sent more than once: a body that is a stream is gone after the first time, unless a closure
    /// makes it for each attempt.
    public var isReplayable: Bool {
        guard request.httpBodyStream == nil else { return false }
        switch task {
        case .uploadMultipart(let parts), .uploadCompositeMultipart(let parts, _):
            return !parts.contains { if case .stream = $0.provider { true } else { false } }
        default:
            return task.stream?.isRepeatable ?? true
        }
    }

    /// Waits, by the clock of the call.
    ///
    /// - Parameter duration: The time to wait, at most a century; none when it is not positive.
    /// - Throws: ``MoyaError/cancelled`` as soon as the task is.
    public func wait(for duration: Duration) async throws(MoyaError) {
        if _Concurrency.Task.isCancelled { throw .cancelled }
        guard duration > .zero else { return }
        do {
            try await timeline.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }
}

/// Numbers calls in the order in which they are made, whichever provider makes them.
enum CallNumber {
    private static let last = Lock<UInt64>(0)

    static func next() -> UInt64 { last.add(1) }
}

/// The place of a call among those that wait for something: by when it was made, then by when it began to wait.
///
/// A middleware may pass one call on several times at once, so that the call alone is no place.
struct Ticket: Hashable, Comparable {
    private let call: UInt64
    private let arrival: UInt64

    init(of call: Call) {
        self.call = call.number
        arrival = CallNumber.next()
    }

    static func < (one: Ticket, other: Ticket) -> Bool { (one.call, one.arrival) < (other.call, other.arrival) }
}

extension TargetType {
    /// The user's own target, out of any number of `MultiTarget`s.
    var innermost: any TargetType {
        guard let multi = self as? MultiTarget else { return self }
        return multi.target.innermost
    }
}
