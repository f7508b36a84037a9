public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A request whose response goes to a file.
public final class DownloadRequest: Request, @unchecked Sendable {
    /// Steps on the way to the destination.
    public typealias Options = DownloadOptions

    /// Says where the temporary file is to be moved; runs on the session's root queue once the body is whole.
    public typealias Destination = DownloadDestination

    /// A user's check of a response; an error fails the request.
    public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, URL?) -> ValidationResult

    let destination: Destination?
    /// The rest of an earlier download.
    let resumed: ResumeData?

    /// `true` if the server had no such part of the resource, and the whole was requested.
    private let asksForWhole = Lock(false)
    /// The rest of a failed attempt.
    private let partial = Lock<PartialDownload?>(nil)

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
    }

    /// The file of the body, once it is whole and in its place.
    public var fileURL: URL? { mutableState.withLock { $0.fileURL } }

    // MARK: Receiving

    override func complete(_ urlRequest: inout URLRequest) {
        if let resumed, resumed.isFileThere { resumed.requestRest(in: &urlRequest) }
        asksForWhole.set(false)
    }

    override var expectsLargeResponse: Bool { true }

    override func makeResponseBody() -> any ResponseBody { FileBody(self) }

    /// `true` if the request under way is for the rest of a resource only.
    var asksForRest: Bool {
        !asksForWhole.value && lastRequest?.value(forHTTPHeaderField: "If-Range") != nil
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

    // MARK: Moving the file

    /// `true` if the file may be moved now: until ``endDelivery()`` an end of the request waits.
    func beginDelivery() -> Bool { mutableState.withLock { $0.machine.beginDelivery() } }

    func endDelivery() { perform { $0.machine.endDelivery() } }

    /// `true` if the request was cancelled, or is out of time.
    var isEnding: Bool { mutableState.withLock { $0.machine.isEnding } }

    /// Releases what a failed attempt has left.
    func forgetPart() { partial.withLock { $0 = nil } }

    /// Keeps the first part of a download that broke off, for ``resumeData``.
    func keepPart(of file: TemporaryFile) {
        let (request, head, isDropped) = mutableState.withLock { state in
            // Cancelled without resume data: a cancel that produces it waits for the exchange's end.
            (lastRequest(in: &state), state.head, state.machine.isOver && state.machine.state == .cancelled)
        }
        // A part that the caller requested does not begin with the resource's first byte.
        guard !isDropped, let request, let head, head.status != 206 || resumed != nil,
            let data = ResumeData(of: request, head: head, file: file.url, length: file.length)
        else { return }
        let download = PartialDownload(file: file, resumeData: data)
        partial.withLock { $0 = download }
    }

    // MARK: Breaking off and going on

    /// The rest of a failed attempt.
    var partialDownload: PartialDownload? { partial.withLock { $0 } }

    /// The data for ``Session/download(resumingWith:interceptor:to:)`` to resume a download that failed or was
    /// cancelled; `nil` when nothing was received, the server cannot give the rest alone, or the download is whole.
    ///
    /// Once it was read, the temporary file of the received bytes stays until the download is resumed. The data holds
    /// the request's header fields, credentials among them: keep it as you keep those.
    public var resumeData: Data? { partial.withLock { $0 }?.claim() }

    /// Cancels the request.
    ///
    /// - Parameter producingResumeData: `true` if ``resumeData`` is to be made of what was received; then the request
    ///   is over once the transport has stopped writing.
    @discardableResult
    public func cancel(producingResumeData: Bool) -> Self {
        guard producingResumeData else { return cancel() }
        change(.didCancel) { state in
            let action = state.machine.cancelAtEnd()
            if case .finish = action { state.error = state.error ?? .explicitlyCancelled }
            return action
        }
        return self
    }

    /// Cancels the request and hands over what it takes to go on with it.
    ///
    /// - Parameter handler: Called once, before every response handler, on the transport's thread or where the request
    ///   ends: do not block in it.
    @discardableResult
    @preconcurrency
    public func cancel(byProducingResumeData handler: @escaping @Sendable (_ data: Data?) -> Void) -> Self {
        onFinish(isFirst: true) { request, _ in handler((request as? DownloadRequest)?.resumeData) }
        return cancel(producingResumeData: true)
    }

    // MARK: Handlers

    /// Checks each response with a closure, after those added before; skipped once one has failed.
    ///
    /// The closure runs on the session's root queue.
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

    /// Calls a handler on a queue once the request is over, and starts the request when its session starts requests
    /// by itself.
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

/// Says where a downloaded file is to be moved, and what may be done on the way.
public typealias DownloadDestination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: DownloadOptions)
