public import Foundation
public import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// One call of a session, from the making of its `URLRequest` to its last handler, through all its attempts.
///
/// Every method may be called from any thread. The concrete kinds are ``DataRequest``, ``UploadRequest`` and
/// ``DownloadRequest``; a ``Session`` makes them.
///
/// `@unchecked`: everything that changes is in one `Mutex`, but for its place in the session, which that has a lock for,
/// and what is gathered of the response, which only the transport's events touch, one at a time.
public class Request: @unchecked Sendable {
    /// How far a request has come.
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
    let recipe: RequestRecipe
    /// The session's, then the request's own.
    let interceptors: [any RequestInterceptor]
    let guarded = Mutex(Guarded())
    let interception = RequestInterception()
    /// The request's place among those of its session that are active, whose lock it is under.
    package var place: Int?
    /// Touched by the transport's events alone, one at a time, and between two exchanges; so no access is checked.
    @exclusivity(unchecked) var receiving = Receiving()

    convenience init(
        core: SessionCore, convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?
    ) {
        self.init(core: core, recipe: .convertible(convertible), interceptor: interceptor)
    }

    init(core: SessionCore, recipe: RequestRecipe, interceptor: (any RequestInterceptor)?) {
        self.core = core
        self.recipe = recipe
        interceptors = interceptor.map { core.interceptors + [$0] } ?? core.interceptors
    }

    // MARK: Life

    /// How far the request has come.
    public var state: State { guarded.withLock { $0.machine.state } }

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
        change(.didCancel) { guarded in
            let action = guarded.machine.cancel()
            if action != .none { guarded.error = guarded.error ?? error }
            return action
        }
    }

    /// Whether the request was not started yet.
    public var isInitialized: Bool { state == .initialized }
    /// Whether the request is under way.
    public var isResumed: Bool { state == .resumed }
    /// Whether the request is held back.
    public var isSuspended: Bool { state == .suspended }
    /// Whether the request was cancelled.
    public var isCancelled: Bool { state == .cancelled }
    /// Whether the request is over without having been cancelled.
    public var isFinished: Bool { state == .finished }

    /// Where code that must not hold up a transport runs.
    public var underlyingQueue: DispatchQueue { core.rootQueue }
    /// Where the response is turned into a value, when the session was given a queue for it; else the root queue.
    public var serializationQueue: DispatchQueue { core.session?.serializationQueue ?? core.rootQueue }
    /// The session that the request belongs to; `nil` once that is gone.
    public var delegate: (any RequestDelegate)? { core.session }

    // MARK: What is known

    /// An identity, made when first asked for.
    public var id: UUID {
        guarded.withLock { guarded in
            if let id = guarded.id { return id }
            let id = UUID()
            guarded.id = id
            return id
        }
    }

    /// Every `URLRequest` made so far: as built, as adapted, and the same for each further attempt.
    public var requests: [URLRequest] { guarded.withLock { $0.requests }.array.compactMap(\.urlRequest) }

    /// The first `URLRequest` made, before any adapter.
    public var firstRequest: URLRequest? { guarded.withLock { $0.requests.first }?.urlRequest }

    /// The last `URLRequest` made.
    public var lastRequest: URLRequest? { guarded.withLock { $0.requests.last }?.urlRequest }

    /// The last `URLRequest` made.
    public var request: URLRequest? { lastRequest }

    /// The response, as soon as its head has arrived.
    public var response: HTTPURLResponse? {
        let (head, url) = guarded.withLock { ($0.head, $0.exchangeURL) }
        return head.flatMap { head in (url?.url).flatMap { HTTPURLResponse(head: head, url: $0) } }
    }

    /// How many attempts followed the first.
    public var retryCount: Int { guarded.withLock { $0.machine.attempt } }

    /// What went wrong, in this attempt so far or in the end.
    public var error: SessionError? { guarded.withLock { $0.error } }

    /// What the transport measured of the last exchange.
    public var metrics: TransportMetrics? { guarded.withLock { $0.metrics } }

    /// What the transport measured of every exchange: redirects, answers to challenges and further attempts are each
    /// one of their own.
    public var allMetrics: [TransportMetrics] {
        guarded.withLock { guarded in guarded.earlierMetrics + (guarded.metrics.map { [$0] } ?? []) }
    }

    /// What the transport measured of the first exchange.
    public var firstMetrics: TransportMetrics? { guarded.withLock { $0.earlierMetrics.first ?? $0.metrics } }

    /// What the transport measured of the last exchange.
    public var lastMetrics: TransportMetrics? { metrics }

    /// The credential that a challenge is answered with.
    public var credential: URLCredential? { guarded.withLock { $0.credential } }

    // MARK: What is wanted

    /// Bounds how long the request may take, in place of the session's bounds; to be set before it is started.
    @discardableResult
    public func timeouts(_ timeouts: RequestTimeouts) -> Self {
        guarded.withLock { $0.timeouts = timeouts.over($0.timeouts ?? RequestTimeouts()) }
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
        guarded.withLock { $0.credential = credential }
        return self
    }

    // MARK: For subclasses

    /// Completes a request as it was built, before any adapter sees it.
    func complete(_ urlRequest: inout URLRequest) {}

    /// Makes ready what is sent as the body; runs before every attempt, where blocking is allowed if
    /// ``preparesBodyOnQueue`` says so.
    func makeBody(for urlRequest: inout URLRequest) throws(SessionError) -> TransportBody {
        if let data = urlRequest.httpBody { return .data(data) }
        guard let stream = urlRequest.httpBodyStream else { return .none }
        var body = UploadRequest.Stream(stream)
        if let known = guarded.withLock({ $0.bodyStream }), known.stream === stream {
            // What is left of a stream that an earlier attempt has begun to read is not the body.
            guard known.reader.rewind() else { throw .createUploadableFailed(error: InputStreamFailure.wasRead) }
            body = known
        } else {
            switch stream.streamStatus {
            case .atEnd, .closed, .error: throw .createUploadableFailed(error: InputStreamFailure.wasRead)
            default: guarded.withLock { [body] in $0.bodyStream = body }
            }
        }
        return .stream(body.reader, length: Self.statedLength(of: urlRequest))
    }

    /// How long a stream is that the caller says the length of, which spares the server a body in chunks
    /// (RFC 9112 section 6.1).
    static func statedLength(of urlRequest: URLRequest) -> Int64? {
        urlRequest.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Whether the body is such that it can be sent once more.
    func canSendBodyAgain(of urlRequest: URLRequest) -> Bool { urlRequest.httpBodyStream == nil }

    /// Whether making the body may block for long.
    var preparesBodyOnQueue: Bool { false }

    /// Whether what follows an exchange calls code of the user's even when all went well.
    var concludesWithUserCode: Bool { false }

    /// Whether the request carries a body on purpose, whatever its method.
    var isUpload: Bool { false }

    /// Whether the response goes where it may be of any length.
    var expectsLargeResponse: Bool { false }

    /// The request to send after a server had no such part of the resource; `nil` to deliver what it says.
    func followUp(afterRefusedPart head: TransportResponseHead, of sent: URLRequest) -> URLRequest? { nil }

    /// Forgets what an earlier exchange has brought.
    func beginReceiving() {}

    /// Learns the head of the response that is delivered.
    func receive(head: TransportResponseHead) throws(SessionError) {}

    /// Takes bytes of the body.
    func receive(bytes: UnsafeRawBufferPointer) throws(SessionError) {}

    /// Takes bytes of the body that are in memory already, and can be kept as they are.
    func receive(data: Data) throws(SessionError) {
        var failure: SessionError?
        data.withUnsafeBytes { bytes in
            do throws(SessionError) { try receive(bytes: bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Makes what was received available, after the last byte and before validation.
    func concludeReceiving(_ guarded: inout Guarded) {}

    /// Does with a whole response what may fail and may call the user's code; runs unlocked.
    func deliverBody(head: TransportResponseHead, url: URL) throws(SessionError) {}

    /// Removes what nobody will ask for, after a failure or a cancellation.
    func discardReceived() {}
}

extension Request: Placed {}

extension Request: Hashable {
    /// Whether the two are the same object.
    public static func == (one: Request, other: Request) -> Bool { one === other }

    /// Feeds the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Request: CustomStringConvertible {
    /// The method, the URL and, once there is one, the status code.
    public var description: String {
        let (request, head) = guarded.withLock { ($0.lastRequest, $0.head) }
        guard let request else { return "No request created yet." }
        let line = "\(request.httpMethod ?? "GET") \(request.url?.absoluteString ?? "")"
        return head.map { "\(line) (\($0.status))" } ?? line
    }
}
