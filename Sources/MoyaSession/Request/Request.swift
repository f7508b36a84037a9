public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A call of a session, from building its `URLRequest` to its last handler, including all attempts.
///
/// All methods are thread-safe. A ``Session`` makes the concrete types: ``DataRequest``, ``UploadRequest``,
/// ``DownloadRequest`` and ``DataStreamRequest``.
///
/// `@unchecked`: a `Lock` protects the mutable state, except the index in the session, which the session's lock
/// protects.
public class Request: @unchecked Sendable {
    /// The state of a request.
    public enum State: Sendable, Hashable {
        /// The request was not started yet.
        case initialized
        /// The request is under way.
        case resumed
        /// The request is suspended until it is resumed.
        case suspended
        /// The request was ended by ``Request/cancel()``, or with its session.
        case cancelled
        /// The request has succeeded or failed.
        case finished
    }

    let core: SessionCore
    /// Makes the `URLRequest` of every attempt.
    let source: any URLRequestConvertible
    /// The session's interceptors, then the request's; set before the request is started.
    @exclusivity(unchecked) final var interceptors: [any RequestInterceptor]
    /// The session's and the request's monitors, if the request has any; set before the request is started.
    @exclusivity(unchecked) final var ownMonitor: CompositeEventMonitor?
    /// `true` if the first response handler starts the request; `nil` for the session's setting.
    @exclusivity(unchecked) final var startsImmediately: Bool?
    let mutableState = Lock(MutableState())
    /// The refresh of a credential within which the request was made.
    let refreshScope = RefreshScope.current
    /// `true` if no redirect to another origin is followed, because the request or its response may have a refresh
    /// token; set before the request is started.
    @exclusivity(unchecked) package final var staysAtOrigin: Bool
    /// The index among the active requests of its session, protected by the session's lock.
    @exclusivity(unchecked) package final var index: Int?
    /// Receives the body of an accepted response; set before the request is started.
    @exclusivity(unchecked) package final var stream: ResponseStream?

    // Inlined: otherwise the optimizer makes a generic initializer of it, which copies the source twice.
    @inline(__always)
    init(core: SessionCore, convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?) {
        self.core = core
        source = convertible
        interceptors = interceptor.map { core.interceptors + [$0] } ?? core.interceptors
        // Decided here: the refresh may be given up before the response.
        staysAtOrigin = refreshScope?.isRefreshing ?? false
    }

    // MARK: Life cycle

    /// The state of the request.
    public var state: State { mutableState.withLock { $0.machine.state } }

    /// Starts the request, or resumes it after ``suspend()``.
    @discardableResult
    public func resume() -> Self {
        if !StartHold.holds(self) { start() }
        return self
    }

    /// Starts or resumes the request where nothing holds it back.
    package func start() { change(.didResume) { $0.machine.resume() } }

    /// Suspends the request: it is not sent, or no more of its response is read.
    @discardableResult
    public func suspend() -> Self {
        StartHold.release(self)
        change(.didSuspend) { $0.machine.suspend() }
        return self
    }

    /// Ends the request with ``SessionError/explicitlyCancelled``, unless it is over.
    @discardableResult
    public func cancel() -> Self {
        end(with: .explicitlyCancelled)
        return self
    }

    /// Ends the request with an error, unless it is over or a condition does not hold.
    func end(with error: SessionError, if isDue: (borrowing MutableState) -> Bool = { _ in true }) {
        change(.didCancel) { state in
            guard isDue(state) else { return .none }
            let action = state.machine.cancel()
            if action != .none { state.error = state.error ?? error }
            return action
        }
    }

    /// `true` if the request was not started yet.
    public var isInitialized: Bool { state == .initialized }
    /// `true` if the request is under way.
    public var isResumed: Bool { state == .resumed }
    /// `true` if the request is suspended.
    public var isSuspended: Bool { state == .suspended }
    /// `true` if the request was cancelled.
    public var isCancelled: Bool { state == .cancelled }
    /// `true` if the request is over and was not cancelled.
    public var isFinished: Bool { state == .finished }

    /// `true` if the first response handler starts the request, `false` if it does not; `nil` for the session's
    /// ``Session/startRequestsImmediately``.
    public var shouldAutomaticallyResume: Bool? { startsImmediately }

    /// The queue of code that must not block a transport.
    public var underlyingQueue: DispatchQueue { core.rootQueue }
    /// The queue on which the response is serialized, if the session was given one; otherwise the root queue.
    public var serializationQueue: DispatchQueue { core.session?.serializationQueue ?? core.rootQueue }
    /// The session of the request; `nil` after its release.
    public var delegate: (any RequestDelegate)? { core.session }

    // MARK: State

    /// The identifier, made on first use.
    public var id: UUID {
        mutableState.withLock { state in
            let rare = state.makeRare()
            if let id = rare.id { return id }
            let id = UUID()
            rare.id = id
            return id
        }
    }

    /// Every `URLRequest` made so far: as built and as adapted, for each attempt.
    public var requests: [URLRequest] {
        mutableState.withLock { state in
            _ = lastRequest(in: &state)
            return state.requests.array
        }
    }

    /// The first `URLRequest` that was made, before any adapter.
    public var firstRequest: URLRequest? { requests.first }

    /// The last `URLRequest` that was made, as it was sent before any redirect.
    public var lastRequest: URLRequest? { mutableState.withLock { lastRequest(in: &$0) } }

    /// The last `URLRequest` that was made, as it was sent before any redirect.
    public var request: URLRequest? { lastRequest }

    /// The last `URLRequest`, made now if it was not read before.
    func lastRequest(in state: inout MutableState) -> URLRequest? {
        if let last = state.requests.last { return last }
        guard state.isBuilt, let made = source.urlRequest else { return nil }
        state.requests.append(made)
        return made
    }

    /// The response; `nil` until its head has arrived.
    ///
    /// After an attempt that is retried, its response remains until the next attempt is passed to the transport, or the
    /// request is cancelled.
    public var response: HTTPURLResponse? {
        let (head, url, _) = mutableState.withLock { $0.lastResponse }
        return head.flatMap { head in (url?.url).flatMap { HTTPURLResponse(head: head, url: $0) } }
    }

    /// The trailer fields of the response (RFC 9110 section 6.5), once the request is over.
    ///
    /// Trailers are available with the libcurl transport; `URLSession` does not provide them. Head and trailers have at
    /// most 256 KiB and 1,000 fields. Values of equal names are joined with commas.
    public var trailers: HTTPHeaders { HTTPHeaders(joining: mutableState.withLock { $0.rare?.trailers ?? [] }) }

    /// The number of attempts after the first.
    public var retryCount: Int { mutableState.withLock { $0.machine.attempt } }

    /// The error of the current attempt, or of the finished request.
    public var error: SessionError? { mutableState.withLock { $0.error } }

    /// The metrics of the last exchange.
    ///
    /// The request of a provider's call has metrics only if a plugin, an interceptor or an event monitor can read this.
    public var metrics: TransportMetrics? { mutableState.withLock { $0.metrics } }

    /// The metrics of every exchange, including redirects, answers to challenges and retries.
    public var allMetrics: [TransportMetrics] {
        mutableState.withLock { state in (state.rare?.earlierMetrics ?? []) + (state.metrics.map { [$0] } ?? []) }
    }

    /// The metrics of the first exchange.
    public var firstMetrics: TransportMetrics? { mutableState.withLock { $0.rare?.earlierMetrics.first ?? $0.metrics } }

    /// The metrics of the last exchange.
    public var lastMetrics: TransportMetrics? { metrics }

    /// The credential for challenges.
    public var credential: URLCredential? { mutableState.withLock { $0.rare?.credential } }

    // MARK: Options

    /// Sets the time limits of the request, in place of the session's; must be called before it is started.
    @discardableResult
    public func timeouts(_ timeouts: Deadlines) -> Self {
        mutableState.withLock { state in
            let rare = state.makeRare()
            rare.timeouts = timeouts.over(rare.timeouts ?? Deadlines())
        }
        return self
    }

    /// Returns whether the session ends the request within a time.
    package func endsBefore(_ time: Duration) -> Bool { core.timeLimits.total.map { $0 < time.seconds } ?? false }

    /// Sets the maximum number of response bytes, in place of the session's; must be called before the request is
    /// started.
    ///
    /// This limit applies to downloads too, which are otherwise unlimited. For a resumed download, the whole file
    /// counts. A longer body ends the request with ``SessionError/responseTooLarge(maximumBytes:)``.
    ///
    /// - Parameter bytes: The maximum, counted after decoding; `nil` for no limit, and negative values count as 0.
    @discardableResult
    public func maximumResponseBytes(_ bytes: Int?) -> Self {
        mutableState.withLock { $0.makeRare().maximumResponseBytes = Int64(boundOnBytes: bytes) }
        return self
    }

    /// Makes the request pass by the stored responses, one of which caused it to be sent again.
    package func reload() { mutableState.withLock { $0.makeRare().reloads = true } }

    /// Accepts only a cached response, including a stale one that may be used on an error; otherwise the request fails
    /// without being sent.
    package func answerOffline() { mutableState.withLock { $0.makeRare().isOffline = true } }

    /// Answers a server's challenge once, with a user name and a password.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - password: The password.
    ///   - persistence: The persistence of the credential; nothing is stored beyond this request.
    @discardableResult
    public func authenticate(
        username: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) -> Self {
        authenticate(with: URLCredential(user: username, password: password, persistence: persistence))
    }

    /// Answers a server's challenge once, with a credential that is never sent to another origin.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        mutableState.withLock { $0.makeRare().credential = credential }
        return self
    }

    // MARK: Overridden by subclasses

    /// Makes the request of an attempt, before any adapter.
    func makeTransportRequest() throws -> HTTPRequest {
        if !isUpload, let request = source as? HTTPRequest { return request }
        var urlRequest = try source.asURLRequest()
        complete(&urlRequest)
        return HTTPRequest(urlRequest)
    }

    /// Completes a built request, before any adapter.
    func complete(_ urlRequest: inout URLRequest) {}

    /// Removes the files that only the request's attempts need; called once it is over.
    func removeTemporaryFiles() {}

    /// Prepares a body that is not in the request itself, before every attempt; may block if ``preparesBodyOnQueue`` is
    /// `true`.
    func makeBody(for request: HTTPRequest) throws(SessionError) -> TransportBody? { nil }

    /// Releases the body after its exchange.
    func releaseBody() { mutableState.withLock { $0.rare?.bodyStream }?.reader.close() }

    /// The error for a redirect whose body cannot be read again; `nil` to deliver the redirect response.
    func refusal(toFollow url: URL) -> SessionError? { nil }

    /// `true` if making the body may block for long.
    var preparesBodyOnQueue: Bool { false }

    /// `true` if the request is an upload, which has a body with any method.
    var isUpload: Bool { false }

    /// `true` if the response may have any length, as in a download.
    var expectsLargeResponse: Bool { false }

    /// `true` if the body is passed on as it arrives, instead of collected.
    var passesBodyOn: Bool { false }

    /// `true` if a reader receives the body as it arrives, and the transport may continue reading.
    var hasReaderCaughtUp: Bool { stream?.isFull == false }

    /// Makes the destination of the response body of an attempt.
    func makeResponseBody() -> any ResponseBody { MemoryBody() }

    /// The file of a download at its destination; `nil` for other requests.
    package var downloadedFile: DownloadedFile? { nil }

    /// The request to send after the server refused a range of the resource; `nil` to deliver its response.
    func replacement(for sent: HTTPRequest, refusedBy head: TransportResponseHead) -> HTTPRequest? { nil }
}

extension Request: Indexed {}

extension Int64 {
    /// Makes a limit from a number of bytes: `nil` means no limit, and negative values count as 0.
    init(boundOnBytes bytes: Int?) { self = bytes.map { Int64(Swift.max(0, $0)) } ?? .max }
}

extension Request: Hashable {
    /// Returns `true` if both are the same object.
    public static func == (one: Request, other: Request) -> Bool { one === other }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Request: MaskedDescription {
    /// The method, the URL with secrets masked and, once known, the status code.
    public var description: String {
        let (request, head) = mutableState.withLock { (lastRequest(in: &$0), $0.lastResponse.head) }
        guard let request else { return "No request created yet." }
        return requestText(request) + (head.map { " (\($0.status))" } ?? "")
    }
}
