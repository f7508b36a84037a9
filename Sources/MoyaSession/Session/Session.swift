public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Makes requests that share connections, default header fields, timeouts, an interceptor and a trust policy.
///
/// Releasing a session ends its requests with ``SessionError/sessionDeinitialized`` and closes its connections.
/// Subclasses may override how requests are made.
///
/// `@unchecked`: everything stored here is constant; a subclass answers for what it adds.
open class Session: @unchecked Sendable {
    /// A session with default settings, which starts requests by itself.
    public static let `default` = Session()

    /// Changes a `URLRequest` once it is made and before anything else sees it.
    public typealias RequestModifier = @Sendable (inout URLRequest) throws -> Void

    /// The queue of code that must not hold up a transport: validations, retriers, download destinations.
    public var rootQueue: DispatchQueue { core.rootQueue }
    /// The queue on which requests are prepared when the session was given one; else the root queue, unused for that.
    public let requestQueue: DispatchQueue
    /// The queue on which responses are turned into values when the session was given one; else the root queue.
    public let serializationQueue: DispatchQueue
    /// `true` if adding the first response handler starts a request, on the root queue.
    public var startRequestsImmediately: Bool { core.startsRequestsImmediately }
    /// Adapts and retries every request, before the request's own interceptor.
    public var interceptor: (any RequestInterceptor)? { core.interceptors.first }
    /// Decides which servers are trusted.
    public let serverTrustManager: ServerTrustManager?
    /// Decides about redirects, where a request has no handler.
    public var redirectHandler: (any RedirectHandler)? { core.redirectHandler }
    /// The cache that the session was given.
    public var cache: HTTPCache? { core.httpCache }
    /// Decides what is stored in the cache, where a request has no handler.
    public var cachedResponseHandler: (any CachedResponseHandler)? { core.cachedResponseHandler }
    /// The monitors that hear of every request.
    public let eventMonitor: CompositeEventMonitor
    /// The settings of the configuration that cannot be honoured; while there is one, nothing is sent.
    public let unsupportedSettings: [UnsupportedSetting]

    let core: SessionCore
    private let configuration: URLSessionConfiguration

    /// Makes a session.
    ///
    /// Of the configuration, these are honoured: `httpAdditionalHeaders`, `timeoutIntervalForRequest` (between two
    /// bytes), `timeoutIntervalForResource` (from start to end), `httpMaximumConnectionsPerHost`,
    /// `urlCredentialStorage`, `httpCookieStorage`, `httpCookieAcceptPolicy`, `httpShouldSetCookies`, `urlCache` and
    /// `requestCachePolicy`. A setting that differs from the default and cannot be honoured is in
    /// ``unsupportedSettings``, and ends every request. Of a `URLRequest`, `allowsCellularAccess` and `networkServiceType`
    /// are passed over: to look at them would cost every request.
    ///
    /// - Parameters:
    ///   - configuration: Copied; changing it later has no effect.
    ///   - rootQueue: The queue of user code that must not hold up a transport. A queue of the session's own by
    ///     default; one that is given may be concurrent, for a serial one is made over it.
    ///   - startRequestsImmediately: `true` if adding the first response handler starts a request, on the root queue.
    ///   - requestQueue: The queue on which requests are adapted and prepared; by default the thread that starts them,
    ///     with no hop.
    ///   - serializationQueue: The queue on which responses are turned into values.
    ///   - interceptor: Adapts and retries every request.
    ///   - serverTrustManager: Decides which servers are trusted, before any request byte is sent to them.
    ///   - redirectHandler: Decides about redirects; by default they are followed (RFC 9110 section 15.4).
    ///   - cachedResponseHandler: Decides what the cache keeps. With one, or with a `urlCache` other than
    ///     the shared one, responses are kept and used as RFC 9111 has it.
    ///   - cache: Stores responses and answers with them, in memory or on disk, in place of the configuration's cache.
    ///   - eventMonitors: Hear of every request.
    ///   - timeouts: Bounds on every request, in place of the configuration's.
    ///   - maximumResponseBytes: The most bytes of a response that is gathered in memory, counted after decoding; `nil` for
    ///     no bound. A longer one ends its request with ``SessionError/responseTooLarge(maximumBytes:)`` as soon as that is
    ///     known. Less than 0 is 0: no byte. Downloads are not bounded by it.
    ///   - credentialPolicy: The header fields that stay with their origin, and the rule for Basic without TLS.
    ///   - transportConfiguration: Certificate authorities, a client certificate, the oldest TLS version, proxies, HTTP
    ///     versions, and a connection limit that wins over the configuration's. A `serverTrustManager` wins over its
    ///     trust policy. A setting that the transport cannot honour ends every request, with the setting's name.
    ///   - transport: Carries the requests; by default libcurl on Linux, `URLSession` on Apple platforms. One given here
    ///     brings its own settings, so that `transportConfiguration` and `serverTrustManager` do not reach it.
    ///   - transports: Transports around that one, the outermost first. Around these stand the session's own: redirects and
    ///     challenges, cookies, the cache.
    public init(
        configuration: URLSessionConfiguration = .af.default,
        rootQueue: DispatchQueue? = nil,
        startRequestsImmediately: Bool = true,
        requestQueue: DispatchQueue? = nil,
        serializationQueue: DispatchQueue? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: (any RedirectHandler)? = nil,
        cachedResponseHandler: (any CachedResponseHandler)? = nil,
        cache: HTTPCache? = nil,
        eventMonitors: [any EventMonitor] = [NotificationEventMonitor()],
        timeouts: Deadlines = Deadlines(),
        maximumResponseBytes: Int? = 256 * 1024 * 1024,
        credentialPolicy: CredentialPolicy = CredentialPolicy(),
        transportConfiguration: TransportConfiguration = TransportConfiguration(),
        transport: (any Transport)? = nil,
        transports: [TransportStage] = []
    ) {
        let root = DispatchQueue(label: "org.moya.session.root", target: rootQueue)
        var wireConfiguration = transportConfiguration
        wireConfiguration.maximumConnectionsPerHost =
            transportConfiguration.maximumConnectionsPerHost ?? configuration.httpMaximumConnectionsPerHost
        wireConfiguration.trustPolicy =
            serverTrustManager.map(ManagedTrustPolicy.init) ?? transportConfiguration.trustPolicy
        self.configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        self.serverTrustManager = serverTrustManager
        self.requestQueue = requestQueue ?? root
        self.serializationQueue = serializationQueue ?? root
        eventMonitor = CompositeEventMonitor(monitors: eventMonitors)
        unsupportedSettings = UnsupportedSetting.all(in: configuration)
        core = SessionCore(
            configuration: configuration,
            options: SessionCore.Options(
                transport: transport ?? DefaultTransport.make(wireConfiguration),
                stages: transports,
                interceptor: interceptor,
                startsRequestsImmediately: startRequestsImmediately,
                rootQueue: root,
                preparationQueue: requestQueue,
                timeouts: timeouts,
                monitor: eventMonitor,
                redirectHandler: redirectHandler,
                cachedResponseHandler: cachedResponseHandler,
                refusal: unsupportedSettings.first.map { .urlRequestValidationFailed(reason: .unsupportedSetting($0)) }
                    ?? serverTrustManager?.configurationError,
                credentialPolicy: credentialPolicy,
                maximumResponseBytes: maximumResponseBytes,
                httpCache: cache
            ))
        core.session = self
    }

    deinit { core.invalidate(with: .sessionDeinitialized) }

    /// A copy of the configuration that the session was made with; changing it has no effect.
    public var sessionConfiguration: URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? configuration
    }

    /// The transport that carries the session's requests.
    public var transport: any Transport { core.transport }

    /// The header fields that every request sends unless it says otherwise.
    public var defaultHeaders: HTTPHeaders {
        HTTPHeaders(core.defaultFields.map { HTTPHeader(name: $0.name, value: $0.value) })
    }

    // MARK: Active requests

    /// Shows the requests that are under way, on the calling thread.
    public func withAllRequests(perform action: (Set<Request>) -> Void) { action(Set(core.activeRequests)) }

    /// Cancels every request that is under way.
    ///
    /// - Parameters:
    ///   - queue: The queue of the completion.
    ///   - completion: Called once every one of them was cancelled.
    @preconcurrency
    public func cancelAllRequests(
        completingOnQueue queue: DispatchQueue = .main, completion: (@Sendable () -> Void)? = nil
    ) {
        for request in core.activeRequests { request.cancel() }
        if let completion { queue.async(execute: completion) }
    }

    /// Ends every request, those under way and those still to come, with ``SessionError/sessionInvalidated(error:)``.
    public func invalidateAndCancel() { core.invalidate(with: .sessionInvalidated(error: nil)) }

    // MARK: Making requests; a subclass may override these

    /// Makes a request whose response is gathered in memory.
    open func request(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> DataRequest {
        DataRequest(core: core, convertible: convertible, interceptor: interceptor)
    }

    /// Makes a request from its parts whose response is gathered in memory.
    @preconcurrency
    open func request(
        _ convertible: any URLConvertible,
        method: HTTPMethod = .get,
        parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            RequestParts(
                url: convertible, method: method, parameters: parameters, encoding: encoding, headers: headers,
                modifier: requestModifier),
            interceptor: interceptor)
    }

    /// Makes a request from its parts, its parameters an `Encodable` value, whose response is gathered in memory.
    @preconcurrency
    open func request<P: Encodable & Sendable>(
        _ convertible: any URLConvertible,
        method: HTTPMethod = .get,
        parameters: P? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            EncodableRequestParts(
                url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
                modifier: requestModifier),
            interceptor: interceptor)
    }

    /// Makes a request whose response goes to a file: to the destination, or where it was written.
    @preconcurrency
    open func download(
        _ convertible: any URLRequestConvertible,
        interceptor: (any RequestInterceptor)? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        DownloadRequest(core: core, convertible: convertible, interceptor: interceptor, destination: destination)
    }

    /// Makes a request from its parts whose response goes to a file: to the destination, or where it was written.
    @preconcurrency
    open func download(
        _ convertible: any URLConvertible,
        method: HTTPMethod = .get,
        parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(
            RequestParts(
                url: convertible, method: method, parameters: parameters, encoding: encoding, headers: headers,
                modifier: requestModifier),
            interceptor: interceptor, to: destination)
    }

    /// Makes a request from its parts, its parameters an `Encodable` value, whose response goes to a file.
    @preconcurrency
    open func download<P: Encodable & Sendable>(
        _ convertible: any URLConvertible,
        method: HTTPMethod = .get,
        parameters: P? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(
            EncodableRequestParts(
                url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
                modifier: requestModifier),
            interceptor: interceptor, to: destination)
    }

    /// Goes on with a download that was broken off, from ``DownloadRequest/resumeData``.
    ///
    /// Only the missing part is requested, on the condition that the resource is still the same (RFC 9110 sections
    /// 13.1.5 and 14.2); one that has changed, or whose first part is gone, is downloaded from its start.
    @preconcurrency
    open func download(
        resumingWith data: Data,
        interceptor: (any RequestInterceptor)? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        DownloadRequest(core: core, resuming: data, interceptor: interceptor, destination: destination)
    }

    /// Makes a request whose body is in memory.
    open func upload(
        _ data: Data,
        with convertible: any URLRequestConvertible,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default
    ) -> UploadRequest {
        UploadRequest(core: core, convertible: convertible, interceptor: interceptor, source: .data(data))
    }

    /// Makes a request whose body is a file, read as it is sent.
    open func upload(
        _ fileURL: URL,
        with convertible: any URLRequestConvertible,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default
    ) -> UploadRequest {
        UploadRequest(core: core, convertible: convertible, interceptor: interceptor, source: .file(fileURL))
    }

    /// Makes a request whose body is a stream, read once as it is sent.
    open func upload(
        _ stream: InputStream,
        with convertible: any URLRequestConvertible,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default
    ) -> UploadRequest {
        UploadRequest(
            core: core, convertible: convertible, interceptor: interceptor,
            source: .stream(UploadRequest.Stream(stream)))
    }

    /// Makes a request whose body is a sequence, read as it is sent.
    open func upload(
        _ stream: UploadStream,
        with convertible: any URLRequestConvertible,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        UploadRequest(
            core: core, convertible: convertible, interceptor: interceptor, source: .sequence(StreamedUpload(stream)))
    }

    /// Makes a request whose body is a multipart form.
    ///
    /// - Parameters:
    ///   - multipartFormData: The form.
    ///   - convertible: The request, without a body.
    ///   - encodingMemoryThreshold: A form of fewer bytes is encoded in memory, a longer one in a temporary file, which
    ///     is removed when the request is.
    ///   - interceptor: Adapts and retries the request, after the session's.
    ///   - fileManager: Kept for code that names it; files are read and written without one.
    open func upload(
        multipartFormData: RequestMultipartFormData,
        with convertible: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default
    ) -> UploadRequest {
        UploadRequest(
            core: core, convertible: convertible, interceptor: interceptor,
            source: .multipart(MultipartUpload(form: multipartFormData, threshold: encodingMemoryThreshold)))
    }

    // Uploads whose request is given by its parts go through the methods that take a whole request.

    /// Makes a request from its parts whose body is in memory.
    @preconcurrency
    open func upload(
        _ data: Data,
        to convertible: any URLConvertible,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            data,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is a file, read as it is sent.
    @preconcurrency
    open func upload(
        _ fileURL: URL,
        to convertible: any URLConvertible,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            fileURL,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is a stream, read once as it is sent.
    @preconcurrency
    open func upload(
        _ stream: InputStream,
        to convertible: any URLConvertible,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            stream,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is a multipart form.
    @preconcurrency
    open func upload(
        multipartFormData: RequestMultipartFormData,
        to convertible: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            multipartFormData: multipartFormData,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            usingThreshold: encodingMemoryThreshold, interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is the multipart form that a closure fills, which is called at once.
    @preconcurrency
    open func upload(
        multipartFormData: (RequestMultipartFormData) -> Void,
        to convertible: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        let form = RequestMultipartFormData(fileManager: fileManager)
        multipartFormData(form)
        return upload(
            multipartFormData: form,
            with: UploadRequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            usingThreshold: encodingMemoryThreshold, interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request whose body is the multipart form that a closure fills, which is called at once.
    @preconcurrency
    open func upload(
        multipartFormData: (RequestMultipartFormData) -> Void,
        with convertible: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = RequestMultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil,
        fileManager: FileManager = .default
    ) -> UploadRequest {
        let form = RequestMultipartFormData(fileManager: fileManager)
        multipartFormData(form)
        return upload(
            multipartFormData: form, with: convertible, usingThreshold: encodingMemoryThreshold,
            interceptor: interceptor, fileManager: fileManager)
    }
}
