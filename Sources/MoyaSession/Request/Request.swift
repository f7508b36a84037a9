public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// One call of a session, from the making of its `URLRequest` to its last handler, through all its attempts.
///
/// Every method may be called from any thread. The concrete kinds are ``DataRequest``, ``UploadRequest`` and
/// ``DownloadRequest``; a ``Session`` makes them.
///
/// `@unchecked`: everything that changes is in one `Lock`, but for its place in the session, which that has a lock for.
public class Request: @unchecked Sendable {
    /// The state of a request.
    public enum State: Sendable, Hashable {
        /// Not started yet.
        case initialized
        /// Under way.
        case resumed
        /// Held back until it is resumed.
        case suspended
        /// Ended by ``Request/cancel()``.
        case cancelled
        /// Ended by itself, well or not.
        case finished
    }

    let core: SessionCore
    /// Makes the request of every attempt.
    let source: any URLRequestConvertible
    /// The session's, then the request's own; set before the request is started.
    @exclusivity(unchecked) final var interceptors: [any RequestInterceptor]
    /// The session's monitors and the request's own, where it has any; set before the request is started.
    @exclusivity(unchecked) final var ownMonitor: CompositeEventMonitor?
    /// Says whether the first response handler starts the request; `nil` where the session says so.
    @exclusivity(unchecked) final var startsImmediately: Bool?
    let mutableState = Lock(MutableState())
    let interception = RequestInterception()
    /// The request's place among those of its session that are active, whose lock it is under.
    @exclusivity(unchecked) package final var index: Int?
    /// Takes the body of an accepted response; set before the request is started.
    package final var stream: ResponseStream?

    init(core: SessionCore, convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?) {
        self.core = core
        source = convertible
        interceptors = interceptor.map { core.interceptors + [$0] } ?? core.interceptors
    }

    // MARK: Life

    /// The state of the request.
    public var state: State { mutableState.withLock { $0.machine.state } }

    /// Starts the request, or goes on with it after ``suspend()``.
    @discardableResult
    public func resume() -> Self {
        change(.didResume) { $0.machine.resume() }
        return self
    }

    /// Holds the request back: before it is sent it is not sent, and after that no more of the response is read.
    @discardableResult
    public func suspend() -> Self {
        change(.didSuspend) { $0.machine.suspend() }
        return self
    }

    /// Ends the request with ``SessionError/explicitlyCancelled``, unless it is over.
    @discardableResult
    public func cancel() -> Self {
        end(with: .explicitlyCancelled)
        return self
    }

    /// Ends the request with an error, unless it is over.
    func end(with error: SessionError) {
        change(.didCancel) { state in
            let action = state.machine.cancel()
            if action != .none { state.error = state.error ?? error }
            return action
        }
    }

    /// `true` if the request was not started yet.
    public var isInitialized: Bool { state == .initialized }
    /// `true` if the request is under way.
    public var isResumed: Bool { state == .resumed }
    /// `true` if the request is held back.
    public var isSuspended: Bool { state == .suspended }
    /// `true` if the request was cancelled.
    public var isCancelled: Bool { state == .cancelled }
    /// `true` if the request is over without having been cancelled.
    public var isFinished: Bool { state == .finished }

    /// The queue of code that must not hold up a transport.
    public var underlyingQueue: DispatchQueue { core.rootQueue }
    /// The queue on which the response is turned into a value, when the session was given one; else the root queue.
    public var serializationQueue: DispatchQueue { core.session?.serializationQueue ?? core.rootQueue }
    /// The session that the request belongs to; `nil` once that is gone.
    public var delegate: (any RequestDelegate)? { core.session }

    // MARK: State

    /// An identity, made on first use.
    public var id: UUID {
        mutableState.withLock { state in
            if let id = state.id { return id }
            let id = UUID()
            state.id = id
            return id
        }
    }

    /// Every `URLRequest` made so far: as built, as adapted, and the same for each further attempt.
    public var requests: [URLRequest] {
        mutableState.withLock { state in
            _ = lastRequest(in: &state)
            return state.requests.array
        }
    }

    /// The first `URLRequest` made, before any adapter.
    public var firstRequest: URLRequest? { requests.first }

    /// The last `URLRequest` made, as it was sent before any redirect.
    public var lastRequest: URLRequest? { mutableState.withLock { lastRequest(in: &$0) } }

    /// The last `URLRequest` made, as it was sent before any redirect.
    public var request: URLRequest? { lastRequest }

    /// The last `URLRequest` made, which is made now where it was not read before.
    func lastRequest(in state: inout MutableState) -> URLRequest? {
        if let last = state.requests.last { return last }
        guard state.isBuilt, let made = source.urlRequest else { return nil }
        state.requests.append(made)
        return made
    }

    /// The response, as soon as its head has arrived.
    public var response: HTTPURLResponse? {
        let (head, url) = mutableState.withLock { ($0.head, $0.location) }
        return head.flatMap { head in (url?.url).flatMap { HTTPURLResponse(head: head, url: $0) } }
    }

    /// The trailer fields of the response (RFC 9110 section 6.5), once the request is over.
    ///
    /// They are there where the server sends some and the transport has them: that over libcurl does, `URLSession` has none.
    /// At most 256 KiB and 1,000 fields, the head included. Values of one name are joined with commas.
    public var trailers: HTTPHeaders { HTTPHeaders(joining: mutableState.withLock { $0.trailers }) }

    /// The number of attempts after the first.
    public var retryCount: Int { mutableState.withLock { $0.machine.attempt } }

    /// The error, of this attempt so far or in the end.
    public var error: SessionError? { mutableState.withLock { $0.error } }

    /// The transport's measurements of the last exchange.
    public var metrics: TransportMetrics? { mutableState.withLock { $0.metrics } }

    /// The transport's measurements of every exchange: redirects, answers to challenges and further attempts each have
    /// one.
    public var allMetrics: [TransportMetrics] {
        mutableState.withLock { state in state.earlierMetrics + (state.metrics.map { [$0] } ?? []) }
    }

    /// The transport's measurements of the first exchange.
    public var firstMetrics: TransportMetrics? { mutableState.withLock { $0.earlierMetrics.first ?? $0.metrics } }

    /// The transport's measurements of the last exchange.
    public var lastMetrics: TransportMetrics? { metrics }

    /// The credential that a challenge is answered with.
    public var credential: URLCredential? { mutableState.withLock { $0.credential } }

    // MARK: Options

    /// Bounds how long the request may take, in place of the session's bounds; to be set before it is started.
    @discardableResult
    public func timeouts(_ timeouts: Deadlines) -> Self {
        mutableState.withLock { $0.timeouts = timeouts.over($0.timeouts ?? Deadlines()) }
        return self
    }

    /// Bounds the body of the response, in place of the session's bound; to be set before the request is started.
    ///
    /// Where this is set, it holds for a download too, which else may be of any length. Of a download that goes on from an
    /// earlier one, all of the file counts. A longer body ends the request with
    /// ``SessionError/responseTooLarge(maximumBytes:)``.
    ///
    /// - Parameter bytes: The most bytes, counted after decoding; `nil` for no bound. Less than 0 is 0: no byte.
    @discardableResult
    public func maximumResponseBytes(_ bytes: Int?) -> Self {
        mutableState.withLock { $0.maximumResponseBytes = Int64(boundOnBytes: bytes) }
        return self
    }

    /// Answers a challenge by the server with a user name and a password; tried once.
    ///
    /// - Parameters:
    ///   - username: The user's name.
    ///   - password: The user's password.
    ///   - persistence: Kept with the credential; nothing is stored beyond this request.
    @discardableResult
    public func authenticate(
        username: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) -> Self {
        authenticate(with: URLCredential(user: username, password: password, persistence: persistence))
    }

    /// Answers a challenge by the server with a credential; tried once, and never sent to another origin.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        mutableState.withLock { $0.credential = credential }
        return self
    }

    // MARK: For subclasses

    /// Makes the request of an attempt, before any adapter sees it.
    func makeTransportRequest() throws -> HTTPRequest {
        if !isUpload, let request = source as? HTTPRequest { return request }
        var urlRequest = try source.asURLRequest()
        complete(&urlRequest)
        return HTTPRequest(urlRequest)
    }

    /// Completes a request as it was built, before any adapter sees it.
    func complete(_ urlRequest: inout URLRequest) {}

    /// Makes ready what is sent as the body; runs before every attempt, where blocking is allowed if
    /// ``preparesBodyOnQueue`` says so.
    func makeBody(for request: HTTPRequest) throws(SessionError) -> TransportBody {
        guard let urlRequest = request.urlRequest else { return request.body }
        if let data = urlRequest.httpBody { return .data(data) }
        guard let stream = urlRequest.httpBodyStream else { return .none }
        var body = UploadRequest.Stream(stream)
        if let known = mutableState.withLock({ $0.bodyStream }), known.stream === stream {
            // The unread rest of a stream that an earlier attempt has begun to read is not the body.
            guard known.reader.rewind() else { throw .createUploadableFailed(error: InputStreamFailure.wasRead) }
            body = known
        } else {
            switch stream.streamStatus {
            case .atEnd, .closed, .error: throw .createUploadableFailed(error: InputStreamFailure.wasRead)
            default: mutableState.withLock { [body] in $0.bodyStream = body }
            }
        }
        return .stream(body.reader, length: Self.statedLength(of: request))
    }

    /// Releases the rest of a body whose exchange is over.
    func releaseBody() {}

    /// The error of a redirect that needs a body which cannot be read again; `nil` to deliver the redirect.
    func refusal(toFollow url: URL) -> SessionError? { nil }

    /// The length of a stream as its caller states it, which spares the server a body in chunks (RFC 9112 section 6.1).
    static func statedLength(of request: HTTPRequest) -> Int64? {
        request.fields.values(for: "content-length").first.flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// `true` if making the body may block for long.
    var preparesBodyOnQueue: Bool { false }

    /// `true` if the request carries a body on purpose, whatever its method.
    var isUpload: Bool { false }

    /// `true` if the response goes to a destination that takes any length.
    var expectsLargeResponse: Bool { false }

    /// Makes the destination of an attempt's response body.
    func makeResponseBody() -> any ResponseBody { MemoryBody() }

    /// The request to send after a server had no such part of the resource; `nil` to deliver what it says.
    func replacement(for sent: HTTPRequest, refusedBy head: TransportResponseHead) -> HTTPRequest? { nil }
}

extension Request: Indexed {}

extension Int64 {
    /// A bound on a number of bytes: no bound for `nil`, and no byte for less than 0.
    init(boundOnBytes bytes: Int?) { self = bytes.map { Int64(Swift.max(0, $0)) } ?? .max }
}

extension Request: Hashable {
    /// `true` if the two are the same object.
    public static func == (one: Request, other: Request) -> Bool { one === other }

    /// Feeds the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Request: MaskedDescription {
    /// The method, the URL with secrets masked and, once there is one, the status code.
    public var description: String {
        let (request, head) = mutableState.withLock { (lastRequest(in: &$0), $0.head) }
        guard let request else { return "No request created yet." }
        let line = "\(request.httpMethod ?? "GET") \(SecretMask.standard.url(request.url?.absoluteString ?? ""))"
        return head.map { "\(line) (\($0.status))" } ?? line
    }
}
