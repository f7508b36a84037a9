public import Foundation
import MoyaTransport
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A request whose response goes to a file.
public final class DownloadRequest: Request, @unchecked Sendable {
    /// What is done on the way to the destination.
    public typealias Options = DownloadOptions

    /// Says where the temporary file is to be moved; runs on the session's root queue once the body is whole.
    public typealias Destination = DownloadDestination

    /// A check of a response of the user's own; an error fails the request.
    public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, URL?) -> ValidationResult

    private let destination: Destination?
    /// What an earlier download has left.
    private let resumed: ResumeData?

    /// Touched by the transport's events alone, and by what follows their end.
    private var file: TemporaryFile?
    /// What a failed attempt has left.
    private let partial = Mutex<PartialDownload?>(nil)

    init(
        core: SessionCore, convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?,
        destination: Destination?
    ) {
        self.destination = destination
        resumed = nil
        super.init(core: core, recipe: .convertible(convertible), interceptor: interceptor)
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
        super.init(core: core, recipe: .convertible(source), interceptor: interceptor)
    }

    /// Where the body is, once it is whole and in its place.
    public var fileURL: URL? { guarded.withLock { $0.fileURL } }

    // MARK: Receiving

    override var concludesWithUserCode: Bool { destination != nil }

    override func complete(_ urlRequest: inout URLRequest) {
        if let resumed, resumed.isFileThere { resumed.askForRest(in: &urlRequest) }
    }

    override func beginReceiving() { file = nil }

    override func receive(head: TransportResponseHead) throws(SessionError) {
        let wasAskedForRest = guarded.withLock { $0.lastRequest?.value(forHTTPHeaderField: "If-Range") != nil }
        guard let resumed, wasAskedForRest, head.status == 206 else {
            // Of a resource that has changed the first part is worth nothing.
            if let resumed, (200..<300).contains(head.status) { resumed.removeFile() }
            file = try TemporaryFile.make()
            return
        }
        guard resumed.isContinued(by: head) else {
            let range = head.value(for: "content-range") ?? ""
            throw .sessionTaskFailed(error: ResumeDataError.wrongRange(range))
        }
        file = try TemporaryFile.reopen(resumed.file, length: resumed.length)
        receiving.received = resumed.length
        receiving.expected = receiving.expected.map { $0 + resumed.length }
    }

    override func followUp(afterRefusedPart head: TransportResponseHead, of sent: URLRequest) -> URLRequest? {
        guard head.status == 416, resumed != nil, sent.value(forHTTPHeaderField: "If-Range") != nil else { return nil }
        var whole = sent
        whole.setValue(nil, forHTTPHeaderField: "Range")
        whole.setValue(nil, forHTTPHeaderField: "If-Range")
        return whole
    }

    override var expectsLargeResponse: Bool { true }

    override func receive(bytes: UnsafeRawBufferPointer) throws(SessionError) { try file?.write(bytes) }

    override func discardReceived() {
        guard let file else { return }
        self.file = nil
        file.close()
        let (request, head, isDropped) = guarded.withLock { guarded in
            // Cancelled with nobody asking for what there is: a cancel that asks waits for the exchange's end.
            (guarded.lastRequest, guarded.head, guarded.machine.isOver && guarded.machine.state == .cancelled)
        }
        // A part that the caller asked for does not begin with the resource's first byte.
        guard !isDropped, let request, let head, head.status != 206 || resumed != nil,
            let data = ResumeData(of: request, head: head, file: file.url, length: file.length)
        else { return }
        let download = PartialDownload(file: file, resumeData: data)
        partial.withLock { $0 = download }
    }

    override func deliverBody(head: TransportResponseHead, url: URL) throws(SessionError) {
        guard let file else { return }
        self.file = nil
        partial.withLock { $0 = nil }
        file.close()
        guard let destination, let response = HTTPURLResponse(head: head, url: url) else {
            file.keep()
            guarded.withLock { $0.fileURL = file.url }
            reportTask { .didFinishDownloading($0, .success(file.url)) }
            return
        }
        let (target, options) = destination(file.url, response)
        report(.didCreateDestinationURL(target))
        do {
            try Self.move(file.url, to: target, options)
        } catch {
            let error = SessionError.downloadedFileMoveFailed(error: error, source: file.url, destination: target)
            reportTask { .didFinishDownloading($0, .failure(error)) }
            throw error
        }
        file.keep()
        guarded.withLock { $0.fileURL = target }
        reportTask { .didFinishDownloading($0, .success(target)) }
    }

    private static func move(_ source: URL, to target: URL, _ options: Options) throws {
        let files = FileManager.default
        if options.contains(.removePreviousFile), files.fileExists(atPath: target.path) {
            try files.removeItem(at: target)
        }
        if options.contains(.createIntermediateDirectories) {
            try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        try files.moveItem(at: source, to: target)
    }

    // MARK: Breaking off and going on

    /// What ``Session/download(resumingWith:interceptor:to:)`` needs to go on with a download that failed or was
    /// cancelled; `nil` when nothing was received, the server cannot give the rest alone, or the download is whole.
    ///
    /// Once it was asked for, the temporary file of what was received stays until it is gone on with. The data holds the
    /// request's header fields, credentials among them: keep it as you keep those.
    public var resumeData: Data? { partial.withLock { $0 }?.claim() }

    /// Cancels the request.
    ///
    /// - Parameter producingResumeData: Whether ``resumeData`` is to be made of what was received; then the request is
    ///   over once the transport has stopped writing.
    @discardableResult
    public func cancel(producingResumeData: Bool) -> Self {
        guard producingResumeData else { return cancel() }
        change(.didCancel) { guarded in
            let action = guarded.machine.cancelAtEnd()
            if case .finish = action { guarded.error = guarded.error ?? .explicitlyCancelled }
            return action
        }
        return self
    }

    /// Cancels the request and hands over what it takes to go on with it.
    ///
    /// - Parameter handler: Called once, on the transport's thread or where the request ends: do not block in it.
    @discardableResult
    @preconcurrency
    public func cancel(byProducingResumeData handler: @escaping @Sendable (_ data: Data?) -> Void) -> Self {
        onFinish { [weak self] _ in handler(self?.resumeData) }
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
        addResponseHandler(on: queue) { [self] outcome in
            let response = AFDownloadResponse(
                request: outcome.request, response: outcome.httpResponse, fileURL: outcome.fileURL,
                partial: partial.withLock { $0 }, metrics: outcome.metrics, serializationDuration: 0,
                result: outcome.error.map { Result<URL?, SessionError>.failure($0) } ?? .success(outcome.fileURL))
            report(.didParseDownloadResponse(response))
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
