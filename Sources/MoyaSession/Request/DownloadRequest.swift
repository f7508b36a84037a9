public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A request whose response body is saved to a file.
public final class DownloadRequest: Request, @unchecked Sendable {
    /// Steps before the file is moved to its destination.
    public typealias Options = DownloadOptions

    /// Returns the destination of the temporary file; runs where validations do, once the body is complete.
    public typealias Destination = DownloadDestination

    /// A user's validation of a response; an error fails the request.
    public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, URL?) -> ValidationResult

    let destination: Destination?
    /// The rest of an earlier download.
    let resumed: ResumeData?

    /// `true` if the server had no such part of the resource, and the whole was requested.
    private let asksForWhole = Lock(false)
    /// The rest of a failed attempt.
    private let partial = Lock<PartialDownload?>(nil)
    /// `true` if the current attempt has written to the first part of an earlier download, or has refused it.
    ///
    /// Protected by the lock of the state.
    private var hasTakenFirstPart = false
    /// The file of the last attempt at its destination.
    let placedFile = DownloadedFile()

    init(
        core: SessionCore, convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?,
        destination: Destination?
    ) {
        self.destination = destination
        resumed = nil
        super.init(core: core, convertible: convertible, interceptor: interceptor)
    }

    init(
        core: SessionCore, resuming data: Data, interceptor: (any RequestInterceptor)?, destination: Destination?
    ) {
        self.destination = destination
        let source: any URLRequestConvertible
        do throws(ResumeDataError) {
            let resumed = try ResumeData(data)
            self.resumed = resumed
            source = resumed.urlRequest
        } catch {
            resumed = nil
            source = Unresumable(error: error)
        }
        super.init(core: core, convertible: source, interceptor: interceptor)
        keepFieldsAtOrigin(Set(resumed?.credentialFields ?? []))
    }

    /// The file of the body, once it is complete and at its destination.
    public var fileURL: URL? { mutableState.withLock { $0.fileURL } }

    // MARK: Receiving

    override func complete(_ urlRequest: inout URLRequest) {
        if let resumed, resumed.isFileThere { resumed.requestRest(in: &urlRequest) }
        asksForWhole.set(false)
        leaveFirstPart()
    }

    override var expectsLargeResponse: Bool { true }

    override func makeResponseBody() -> any ResponseBody { FileBody(self) }

    /// `true` if the request in flight is only for the rest of a resource.
    var asksForRest: Bool {
        !asksForWhole.value && lastRequest?.value(forHTTPHeaderField: "If-Range") != nil
    }

    /// `true` if the request in flight, or a session's field, asks for a part of a resource.
    var asksForPart: Bool {
        guard !asksForWhole.value else { return false }
        let sent = mutableState.withLock { $0.rare?.followUp ?? lastRequest(in: &$0) }
        return sent?.value(forHTTPHeaderField: "Range") != nil || core.defaultFields.contains("range")
    }

    override func replacement(
        for sent: HTTPRequest, refusedBy head: TransportResponseHead
    ) -> HTTPRequest? {
        guard head.status == 416, resumed != nil, sent.fields.contains("If-Range") else { return nil }
        var whole = sent
        whole.fields.remove("Range")
        whole.fields.remove("If-Range")
        asksForWhole.set(true)
        return whole
    }

    // MARK: The first part

    /// Reserves the first part of an earlier download for the current attempt; `false` if the request is over, because
    /// the caller may resume that download with another request then.
    func takeFirstPart() -> Bool {
        mutableState.withLock { state in
            guard !state.machine.isOver else { return false }
            hasTakenFirstPart = true
            return true
        }
    }

    /// Leaves the first part to later requests.
    func leaveFirstPart() { mutableState.withLock { _ in hasTakenFirstPart = false } }

    // MARK: Moving the file

    override package var downloadedFile: DownloadedFile? { placedFile }

    /// `true` if the file may be moved now; the end of the request then waits for ``endDelivery()``.
    func beginDelivery() -> Bool { mutableState.withLock { $0.machine.beginDelivery() } }

    func endDelivery() { perform { $0.machine.endDelivery() } }

    /// `true` if the request was cancelled, or has exceeded its deadline.
    var isEnding: Bool { mutableState.withLock { $0.machine.isEnding } }

    /// Releases the part left by a failed attempt.
    func forgetPart() { partial.withLock { $0 = nil } }

    /// Keeps the first part of an interrupted download, for ``resumeData``.
    func keepPart(of file: TemporaryFile) {
        let (request, secrets, head, isDropped) = mutableState.withLock { state in
            hasTakenFirstPart = false
            return (
                lastRequest(in: &state), state.rare?.credentialFields ?? [], state.head, state.machine.dropsPart
            )
        }
        let earlier = file.url == resumed?.file ? resumed : nil
        // A part that the caller requested may not begin with the resource's first byte.
        guard !isDropped, let request, let head, head.status != 206 || earlier != nil,
            let data = ResumeData(
                of: request, credentialFields: secrets, head: head, file: file.url, length: file.length,
                continuing: earlier)
        else { return }
        let download = PartialDownload(file: file, resumeData: data)
        partial.withLock { $0 = download }
    }

    // MARK: Breaking off and going on

    /// The part left by a failed attempt, otherwise the first part of the earlier download.
    var partialDownload: PartialDownload? {
        let (isDropped, isLeft) = mutableState.withLock { state in
            (state.machine.dropsPart, state.machine.isOver && !hasTakenFirstPart)
        }
        guard !isDropped else { return nil }
        if let partial = partial.withLock({ $0 }) { return partial }
        guard isLeft, let resumed, resumed.isFileThere else { return nil }
        return PartialDownload(file: nil, resumeData: resumed)
    }

    /// The data for ``Session/download(resumingWith:interceptor:to:)`` to resume a failed or cancelled download; `nil`
    /// if nothing was received, the server does not support ranges, or the download is complete.
    ///
    /// A resumed download that ends before it continues the received part has the data it was resumed with, unless the
    /// server sent a part of another version.
    ///
    /// Once it was read, the temporary file of the received bytes stays until the download is resumed. The data
    /// contains the request's header fields, including credentials: store it as securely as those.
    public var resumeData: Data? { partialDownload?.claim() }

    /// Cancels the request.
    ///
    /// - Parameter producingResumeData: `true` to make ``resumeData`` from the received bytes; the request then ends
    ///   once the transport has stopped writing.
    @discardableResult
    public func cancel(producingResumeData: Bool) -> Self {
        guard producingResumeData else { return cancel() }
        var held: HeldEnd?
        change(.didCancel) { state in
            let action = state.machine.cancelAtEnd()
            switch action {
            case .finish, .deferEnd: state.error = state.error ?? .explicitlyCancelled
            default: break
            }
            // An exchange that is over has no other end.
            if action == .cancelExchange { held = state.rare?.heldEnd.take() }
            return action
        }
        held.map { $0.attempt.finish($0.end) }
        return self
    }

    /// Cancels the request and passes the resume data to a handler.
    ///
    /// - Parameter handler: Called once, before every response handler, on the transport's thread or where the request
    ///   ends; must not block.
    @discardableResult
    @preconcurrency
    public func cancel(byProducingResumeData handler: @escaping @Sendable (_ data: Data?) -> Void) -> Self {
        onFinish(isFirst: true) { request, _ in handler((request as? DownloadRequest)?.resumeData) }
        return cancel(producingResumeData: true)
    }

    // MARK: Handlers

    /// Adds a closure that validates each response after the earlier validations; it is skipped once one has failed.
    ///
    /// The closure runs on the session's root queue; with a transport whose `deliversWhereCodeMayBlock` is
    /// `true`, such as a stub, on the thread that ends the attempt.
    @discardableResult
    @preconcurrency
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidator(
            .custom { input in
                guard let response = input.response else { return .success(()) }
                return validation(input.request, response, input.fileURL)
            })
        return self
    }

    /// Calls a handler on a queue when the request ends, and starts the request if its session starts requests
    /// automatically.
    @discardableResult
    @preconcurrency
    public func response(
        queue: DispatchQueue = .main, completionHandler: @escaping @Sendable (AFDownloadResponse<URL?>) -> Void
    ) -> Self {
        addResponseHandler(on: queue) { request, outcome in
            let partial = (request as? DownloadRequest)?.partialDownload
            let response = AFDownloadResponse(
                request: outcome.request, response: outcome.httpResponse, fileURL: outcome.fileURL,
                partial: partial, metrics: outcome.metrics, trailers: outcome.trailers, serializationDuration: 0,
                result: outcome.error.map { Result<URL?, SessionError>.failure($0) } ?? .success(outcome.fileURL))
            request.report(.didParseDownloadResponse(response))
            completionHandler(response)
        }
        return self
    }
}

/// A `URLRequest` that cannot be made.
private struct Unresumable: URLRequestConvertible {
    let error: ResumeDataError

    func asURLRequest() throws -> URLRequest { throw error }
}

/// Returns the destination of a downloaded file, and the allowed steps.
public typealias DownloadDestination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: DownloadOptions)
