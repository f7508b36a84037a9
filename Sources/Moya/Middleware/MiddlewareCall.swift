import Foundation
import MoyaSession
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A call that passes through the middleware of a provider.
public struct MiddlewareCall: Sendable {
    /// The target of the call as passed to the provider; for a `MultiTarget`, the wrapped target.
    public let target: any TargetType
    /// The kind of request and the way its response is received, from the provider's `endpointClosure`.
    public let task: RequestTask
    /// The request before the session's adapters and the plugins run; a middleware may change it.
    public var request: URLRequest
    /// The number of the attempt: 1, plus one each time an outer middleware calls again.
    public private(set) var attempt = 1
    /// The time limits of the call, combined from the provider, the target and the caller; those of the session apply
    /// to each attempt.
    public let deadlines: Deadlines
    /// `true` if the call ends with the head of the response: its body is read once, as it arrives, and such a response
    /// must not be kept.
    public internal(set) var isStreamed = false

    /// The names of header fields with the call's credential, which are not sent to other origins.
    var credentialFields: Set<String> = []

    /// `true` if only a stored response can answer, since there is no network.
    var isOffline = false
    /// `true` if a stored response must not answer, because it caused the retry.
    var reloads = false
    /// Called when a request of the call is sent.
    var onSent: (@Sendable () -> Void)?
    /// Called when an attempt has ended; `true` if its response must not cause the call to be made again, because a
    /// redirect led to it.
    var onEnd: (@Sendable (_ isFinal: Bool) -> Void)?

    /// The sequence number of the call.
    let number: UInt64
    let timeline: Timeline
    /// The provider's plugins and the data that their position needs; `nil` in tests of a middleware.
    var plugins: PluginContext?
    /// The requests of plugins that saw the call before it had a session request.
    var unsent: UnsentRequest?

    /// Makes a call for tests of a middleware.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - request: The request of the target.
    ///   - deadlines: The time limits of the call, starting now.
    ///   - clock: The clock of every wait.
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

    /// The clock of every wait of the call.
    public var clock: any Clock<Duration> { timeline.clock }

    /// The time since the start of the call.
    public var elapsed: Duration { timeline.now }

    /// The time until the total deadline, negative after it; `nil` without one.
    public var remaining: Duration? { deadlines.total.map(timeline.remaining) }

    /// Returns the same call, to pass it on again.
    public func again() -> MiddlewareCall {
        var call = self
        call.attempt += 1
        return call
    }

    /// `true` if the call can be sent more than once: a streamed body cannot, unless a closure makes it for each
    /// attempt.
    public var isReplayable: Bool {
        guard request.httpBodyStream == nil else { return false }
        switch task {
        case .uploadMultipart(let parts), .uploadCompositeMultipart(let parts, _):
            return !parts.contains { if case .stream = $0.provider { true } else { false } }
        default:
            return task.stream?.isRepeatable ?? true
        }
    }

    /// Waits on the clock of the call.
    ///
    /// - Parameter duration: The time to wait, at most a century; no wait if it is not positive.
    /// - Throws: ``MoyaError/cancelled`` as soon as the task is cancelled.
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

/// The sequence numbers of calls, and of the arrivals of their waiters, over all providers.
enum CallNumber {
    private static let last = Lock<UInt64>(0)

    static func next() -> UInt64 { last.add(1) }
}

/// The position of a call among the waiters: by the creation of the call, then by the start of its wait.
///
/// A middleware may pass one call on several times concurrently, so the call alone does not identify a waiter.
struct Ticket: Hashable, Comparable {
    private let call: UInt64
    private let arrival: UInt64

    init(of call: MiddlewareCall) {
        self.call = call.number
        arrival = CallNumber.next()
    }

    static func < (one: Ticket, other: Ticket) -> Bool { (one.call, one.arrival) < (other.call, other.arrival) }
}

extension TargetType {
    /// The user's target, unwrapped from any number of `MultiTarget`s.
    var innermost: any TargetType {
        // Comparing types costs a fraction of a failed cast.
        guard type(of: self) == MultiTarget.self, let multi = self as? MultiTarget else { return self }
        return multi.target.innermost
    }

    /// The type of ``innermost``, without a copy of it.
    var innermostType: any TargetType.Type {
        type(of: self) == MultiTarget.self ? type(of: innermost) : type(of: self)
    }
}
