public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Makes requests that share connections, default header fields, timeouts, an interceptor and a trust policy.
///
/// Releasing a session ends its requests with ``SessionError/sessionDeinitialized`` and closes its connections. An adapter,
/// a retrier or the refresh of a credential holds the session until it has answered.
/// Subclasses may override the methods that make requests, except `streamRequest`.
///
/// `@unchecked`: all stored properties are constant; subclasses are responsible for the properties that they add.
open class Session: @unchecked Sendable {
    /// A session with default settings, which starts a request when its first response handler is added.
    public static let `default` = Session()

    /// The queue that the session was given for preparing requests; the root queue if it was given none.
    ///
    /// Without one, a request is prepared on the thread that starts it. Retries, and requests that their first
    /// handler starts, start on the root queue: a slow adapter there delays the session's other requests.
    public let requestQueue: DispatchQueue
    /// The queue on which responses are serialized, if the session was given one; otherwise the root queue.
    public let serializationQueue: DispatchQueue
    /// Evaluates the trust of servers.
    public let serverTrustManager: ServerTrustManager?
    /// The monitors that observe every request.
    public let eventMonitor: CompositeEventMonitor
    /// The unsupported settings of the configuration; if there is any, nothing is sent.
    public let unsupportedSettings: [UnsupportedSetting]

    let core: SessionCore
    /// A private copy.
    let configuration: URLSessionConfiguration

    /// Makes a session.
    ///
    /// These settings of the configuration are honoured: `httpAdditionalHeaders`, `timeoutIntervalForRequest` (between
    /// two bytes), `timeoutIntervalForResource` (from start to end), `httpMaximumConnectionsPerHost`,
    /// `urlCredentialStorage`, `httpCookieStorage`, `httpCookieAcceptPolicy`, `httpShouldSetCookies`, `urlCache` and
    /// `requestCachePolicy`. A setting that differs from its default and cannot be honoured is in
    /// ``unsupportedSettings``, and ends every request. The network settings of a `URLRequest`, such as
    /// `allowsCellularAccess` and `networkServiceType`, are passed to `URLSession`; other transports ignore them. An empty
    /// `connectionProxyDictionary` means no proxy, unless `transportConfiguration` has one.
    /// ``UnsupportedSetting`` names the settings that `URLSession` also receives on Apple platforms.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, which is copied; later changes have no effect.
    ///   - rootQueue: The queue of user code that must not block a transport; an internal queue by default. It may be
    ///     concurrent, since the session uses it through a serial queue.
    ///   - startRequestsImmediately: `true` if adding the first response handler starts a request, on the root queue.
    ///   - requestQueue: The queue on which requests are adapted and prepared; by default the thread that starts
    ///     them, see ``requestQueue``.
    ///   - serializationQueue: The queue on which responses are serialized. It may be concurrent; the handlers of one
    ///     request run in order.
    ///   - interceptor: Adapts and retries every request.
    ///   - serverTrustManager: Evaluates the trust of servers, before any byte of a request is sent.
    ///   - redirectHandler: Decides about redirects; by default they are followed (RFC 9110 section 15.4).
    ///   - cachedResponseHandler: Decides what is cached. If it is set, or if the configuration's `urlCache` is not the
    ///     shared one, responses are cached by RFC 9111.
    ///   - cache: Stores responses in memory or on disk, and answers requests with them, in place of the
    ///     configuration's cache.
    ///   - eventMonitors: Observe every request.
    ///   - timeouts: The time limits of every request, in place of the configuration's.
    ///   - maximumResponseBytes: The maximum number of bytes of a response in memory, counted after decoding; `nil` for
    ///     no limit, and negative values count as 0. A longer response ends its request with
    ///     ``SessionError/responseTooLarge(maximumBytes:)`` as soon as its length is known. The limit does not apply to
    ///     downloads.
    ///   - credentialPolicy: The header fields that are not sent to other origins, and the rule for Basic without TLS.
    ///   - transportConfiguration: Certificate authorities, a client certificate, the minimum TLS version, proxies,
    ///     HTTP versions, and a connection limit that overrides the configuration's. A `serverTrustManager` overrides
    ///     its trust policy. A setting that the transport cannot honour ends every request with an error that names the
    ///     setting.
    ///   - transport: Performs the requests; by default libcurl on Linux, `URLSession` on Apple platforms. A given
    ///     transport has its own settings: `transportConfiguration` and `serverTrustManager` do not apply to it.
    ///   - transports: Transports around `transport`, outermost first. The session's own transports (redirects and
    ///     challenges, cookies, the cache) surround these.
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
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        self.configuration = copy
        self.serverTrustManager = serverTrustManager
        self.requestQueue = requestQueue ?? root
        self.serializationQueue = serializationQueue ?? root
        eventMonitor = CompositeEventMonitor(monitors: eventMonitors)
        unsupportedSettings = UnsupportedSetting.all(
            in: configuration, isPassedOn: transport == nil && DefaultTransport.takesNetworkSettings)
        core = SessionCore(
            configuration: configuration,
            transport: SessionTransport(
                transport, transportConfiguration.completed(by: configuration), serverTrustManager, network: copy),
            stages: transports, interceptor: interceptor, startsRequestsImmediately: startRequestsImmediately,
            rootQueue: root, preparationQueue: requestQueue, timeouts: timeouts, monitor: eventMonitor,
            redirectHandler: redirectHandler, cachedResponseHandler: cachedResponseHandler,
            refusal: unsupportedSettings.first.map { .urlRequestValidationFailed(reason: .unsupportedSetting($0)) }
                ?? serverTrustManager?.configurationError,
            credentialPolicy: credentialPolicy, maximumResponseBytes: maximumResponseBytes, httpCache: cache)
        core.session = self
    }

    deinit { core.invalidate(with: .sessionDeinitialized) }

    // MARK: Making requests; subclasses may override these

    /// Makes a request whose response is collected in memory.
    open func request(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> DataRequest {
        DataRequest(core: core, convertible: convertible, interceptor: interceptor)
    }

    /// Makes a request from its parts, whose response is collected in memory.
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
            RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier) {
                try encoding.encode($0, with: parameters)
            },
            interceptor: interceptor)
    }

    /// Makes a request whose parameters are an `Encodable` value and whose response is collected in memory.
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
            RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier) {
                try encoder.encode(parameters, into: $0)
            },
            interceptor: interceptor)
    }

    /// Makes a request whose response is written to a file, which is moved to the destination if there is one.
    @preconcurrency
    open func download(
        _ convertible: any URLRequestConvertible,
        interceptor: (any RequestInterceptor)? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        DownloadRequest(core: core, convertible: convertible, interceptor: interceptor, destination: destination)
    }

    /// Makes a request from its parts, whose response is written to a file, which is moved to the destination if there
    /// is one.
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
            RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier) {
                try encoding.encode($0, with: parameters)
            },
            interceptor: interceptor, to: destination)
    }

    /// Makes a request whose parameters are an `Encodable` value and whose response is written to a file.
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
            RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier) {
                try encoder.encode(parameters, into: $0)
            },
            interceptor: interceptor, to: destination)
    }

    /// Resumes an interrupted download from ``DownloadRequest/resumeData``.
    ///
    /// Only the missing part is requested, if the resource has not changed (RFC 9110 sections 13.1.5 and 14.2). If it
    /// has changed, or if its first part is gone, the download starts over. It fails with
    /// ``ResumeDataError/wrongRange(_:)`` if the server sends a part that does not continue the first.
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

    /// Makes a request whose body is a stream, which is read once, as it is sent.
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
    ///   - encodingMemoryThreshold: The number of bytes below which the form is encoded in memory; a longer form is
    ///     encoded in a temporary file, which is removed with the request.
    ///   - interceptor: Adapts and retries the request, after the session's.
    ///   - fileManager: Unused; present for source compatibility.
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

    // Uploads whose request is given by its parts call the methods that take a whole request.

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
            with: RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
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
            with: RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts whose body is a stream, which is read once, as it is sent.
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
            with: RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
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
            with: RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            usingThreshold: encodingMemoryThreshold, interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request from its parts, whose body is a multipart form; the closure appends the parts and is called
    /// immediately.
    @preconcurrency
    open func upload(
        multipartFormData: @escaping (RequestMultipartFormData) -> Void,
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
            with: RequestParts(url: convertible, method: method, headers: headers, modifier: requestModifier),
            usingThreshold: encodingMemoryThreshold, interceptor: interceptor, fileManager: fileManager)
    }

    /// Makes a request whose body is a multipart form; the closure appends the parts and is called immediately.
    @preconcurrency
    open func upload(
        multipartFormData: @escaping (RequestMultipartFormData) -> Void,
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
