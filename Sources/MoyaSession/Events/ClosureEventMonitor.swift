public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// An ``EventMonitor`` of closures: set those that you care about before giving it to a session.
///
/// `@unchecked`: the closures are to be set before the first request, and only read after that.
open class ClosureEventMonitor: EventMonitor, @unchecked Sendable {
    /// The queue of the closures.
    public let queue: DispatchQueue

    /// Makes a monitor whose closures run on a queue.
    public init(queue: DispatchQueue = .main) { self.queue = queue }

    /// A `URLRequest` was made of what the caller gave.
    open var requestDidCreateInitialURLRequest: (@Sendable (Request, URLRequest) -> Void)?
    /// No `URLRequest` could be made, or none that may be sent.
    open var requestDidFailToCreateURLRequestWithError: (@Sendable (Request, SessionError) -> Void)?
    /// The adapters have changed the request.
    open var requestDidAdaptInitialRequestToAdaptedRequest: (@Sendable (Request, URLRequest, URLRequest) -> Void)?
    /// An adapter has failed.
    open var requestDidFailToAdaptURLRequestWithError: (@Sendable (Request, URLRequest, SessionError) -> Void)?
    /// The `URLRequest` is as it will be sent.
    open var requestDidCreateURLRequest: (@Sendable (Request, URLRequest) -> Void)?
    /// An attempt is handed to the transport.
    open var requestDidCreateTask: (@Sendable (Request, RequestAttempt) -> Void)?
    /// The transport has measured an exchange.
    open var requestDidGatherMetrics: (@Sendable (Request, TransportMetrics) -> Void)?
    /// An attempt has failed before its first response arrived.
    open var requestDidFailTaskEarlyWithError: (@Sendable (Request, RequestAttempt, SessionError) -> Void)?
    /// An attempt is over.
    open var requestDidCompleteTaskWithError: (@Sendable (Request, RequestAttempt, SessionError?) -> Void)?
    /// The transport works on an attempt, or goes on with it.
    open var requestDidResumeTask: (@Sendable (Request, RequestAttempt) -> Void)?
    /// The transport reads no more for the time being.
    open var requestDidSuspendTask: (@Sendable (Request, RequestAttempt) -> Void)?
    /// The exchange was cancelled.
    open var requestDidCancelTask: (@Sendable (Request, RequestAttempt) -> Void)?
    /// Another attempt follows.
    open var requestIsRetrying: (@Sendable (Request) -> Void)?
    /// The request is over.
    open var requestDidFinish: (@Sendable (Request) -> Void)?
    /// The request was started, or goes on.
    open var requestDidResume: (@Sendable (Request) -> Void)?
    /// The request is held back.
    open var requestDidSuspend: (@Sendable (Request) -> Void)?
    /// The request was cancelled.
    open var requestDidCancel: (@Sendable (Request) -> Void)?
    /// Bytes of the body have left.
    open var requestDidSendBodyBytes: (@Sendable (Request, Int64, Int64?) -> Void)?
    /// An interim response has arrived.
    open var requestDidReceiveInformationalResponse: (@Sendable (Request, TransportResponseHead) -> Void)?
    /// The head of the response has arrived.
    open var requestDidReceiveResponse: (@Sendable (Request, HTTPURLResponse) -> Void)?
    /// Bytes of the response's body have arrived.
    open var requestDidReceiveBodyBytes: (@Sendable (Request, Int) -> Void)?
    /// The server redirects.
    open var requestWillPerformHTTPRedirection: (@Sendable (Request, HTTPURLResponse, URLRequest) -> Void)?
    /// The server requires credentials, and is answered by that scheme.
    open var requestWillAnswerChallengeBy: (@Sendable (Request, String) -> Void)?
    /// The response is about to be stored in the session's cache.
    open var requestWillCacheResponse: (@Sendable (Request) -> Void)?
    /// A validation has looked at the response.
    open var requestDidValidateRequestResponseDataWithResult:
        (@Sendable (DataRequest, URLRequest?, HTTPURLResponse, Data?, Request.ValidationResult) -> Void)?
    /// A response handler is about to be given that response.
    open var requestDidParseResponse: (@Sendable (DataRequest, AFDataResponse<Data?>) -> Void)?
    /// The body is ready.
    open var requestDidCreateUploadable: (@Sendable (UploadRequest, UploadRequest.Uploadable) -> Void)?
    /// The body could not be made.
    open var requestDidFailToCreateUploadableWithError: (@Sendable (UploadRequest, SessionError) -> Void)?
    /// A stream is about to be read.
    open var requestDidProvideInputStream: (@Sendable (UploadRequest, InputStream) -> Void)?
    /// The file is about to be moved to that place.
    open var requestDidCreateDestinationURL: (@Sendable (DownloadRequest, URL) -> Void)?
    /// The file is where it belongs, or is not.
    open var requestDidFinishDownloadingUsingTaskWithResult:
        (@Sendable (DownloadRequest, RequestAttempt, Result<URL, SessionError>) -> Void)?
    /// A validation has looked at the response.
    open var requestDidValidateRequestResponseFileURLWithResult:
        (@Sendable (DownloadRequest, URLRequest?, HTTPURLResponse, URL?, Request.ValidationResult) -> Void)?
    /// A response handler is about to be given that response.
    open var requestDidParseDownloadResponse: (@Sendable (DownloadRequest, AFDownloadResponse<URL?>) -> Void)?

    /// Calls ``requestDidCreateInitialURLRequest``.
    open func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) {
        requestDidCreateInitialURLRequest?(request, urlRequest)
    }
    /// Calls ``requestDidFailToCreateURLRequestWithError``.
    open func request(_ request: Request, didFailToCreateURLRequestWithError error: SessionError) {
        requestDidFailToCreateURLRequestWithError?(request, error)
    }
    /// Calls ``requestDidAdaptInitialRequestToAdaptedRequest``.
    open func request(
        _ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest
    ) {
        requestDidAdaptInitialRequestToAdaptedRequest?(request, initialRequest, adaptedRequest)
    }
    /// Calls ``requestDidFailToAdaptURLRequestWithError``.
    open func request(
        _ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: SessionError
    ) {
        requestDidFailToAdaptURLRequestWithError?(request, initialRequest, error)
    }
    /// Calls ``requestDidCreateURLRequest``.
    open func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) {
        requestDidCreateURLRequest?(request, urlRequest)
    }
    /// Calls ``requestDidCreateTask``.
    open func request(_ request: Request, didCreateTask task: RequestAttempt) {
        requestDidCreateTask?(request, task)
    }
    /// Calls ``requestDidGatherMetrics``.
    open func request(_ request: Request, didGatherMetrics metrics: TransportMetrics) {
        requestDidGatherMetrics?(request, metrics)
    }
    /// Calls ``requestDidFailTaskEarlyWithError``.
    open func request(_ request: Request, didFailTask task: RequestAttempt, earlyWithError error: SessionError) {
        requestDidFailTaskEarlyWithError?(request, task, error)
    }
    /// Calls ``requestDidCompleteTaskWithError``.
    open func request(_ request: Request, didCompleteTask task: RequestAttempt, with error: SessionError?) {
        requestDidCompleteTaskWithError?(request, task, error)
    }
    /// Calls ``requestDidResumeTask``.
    open func request(_ request: Request, didResumeTask task: RequestAttempt) {
        requestDidResumeTask?(request, task)
    }
    /// Calls ``requestDidSuspendTask``.
    open func request(_ request: Request, didSuspendTask task: RequestAttempt) {
        requestDidSuspendTask?(request, task)
    }
    /// Calls ``requestDidCancelTask``.
    open func request(_ request: Request, didCancelTask task: RequestAttempt) {
        requestDidCancelTask?(request, task)
    }
    /// Calls ``requestIsRetrying``.
    open func requestIsRetrying(_ request: Request) {
        requestIsRetrying?(request)
    }
    /// Calls ``requestDidFinish``.
    open func requestDidFinish(_ request: Request) {
        requestDidFinish?(request)
    }
    /// Calls ``requestDidResume``.
    open func requestDidResume(_ request: Request) {
        requestDidResume?(request)
    }
    /// Calls ``requestDidSuspend``.
    open func requestDidSuspend(_ request: Request) {
        requestDidSuspend?(request)
    }
    /// Calls ``requestDidCancel``.
    open func requestDidCancel(_ request: Request) {
        requestDidCancel?(request)
    }
    /// Calls ``requestDidSendBodyBytes``.
    open func request(_ request: Request, didSendBodyBytes bytes: Int64, expected: Int64?) {
        requestDidSendBodyBytes?(request, bytes, expected)
    }
    /// Calls ``requestDidReceiveInformationalResponse``.
    open func request(_ request: Request, didReceiveInformationalResponse head: TransportResponseHead) {
        requestDidReceiveInformationalResponse?(request, head)
    }
    /// Calls ``requestDidReceiveResponse``.
    open func request(_ request: Request, didReceiveResponse response: HTTPURLResponse) {
        requestDidReceiveResponse?(request, response)
    }
    /// Calls ``requestDidReceiveBodyBytes``.
    open func request(_ request: Request, didReceiveBodyBytes count: Int) {
        requestDidReceiveBodyBytes?(request, count)
    }
    /// Calls ``requestWillPerformHTTPRedirection``.
    open func request(_ request: Request, willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest)
    {
        requestWillPerformHTTPRedirection?(request, response, newRequest)
    }
    /// Calls ``requestWillAnswerChallengeBy``.
    open func request(_ request: Request, willAnswerChallengeBy scheme: String) {
        requestWillAnswerChallengeBy?(request, scheme)
    }
    /// Calls ``requestWillCacheResponse``.
    open func requestWillCacheResponse(_ request: Request) {
        requestWillCacheResponse?(request)
    }
    /// Calls ``requestDidValidateRequestResponseDataWithResult``.
    open func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult
    ) {
        requestDidValidateRequestResponseDataWithResult?(request, urlRequest, response, data, result)
    }
    /// Calls ``requestDidParseResponse``.
    open func request(_ request: DataRequest, didParseResponse response: AFDataResponse<Data?>) {
        requestDidParseResponse?(request, response)
    }
    /// Calls ``requestDidCreateUploadable``.
    open func request(_ request: UploadRequest, didCreateUploadable uploadable: UploadRequest.Uploadable) {
        requestDidCreateUploadable?(request, uploadable)
    }
    /// Calls ``requestDidFailToCreateUploadableWithError``.
    open func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: SessionError) {
        requestDidFailToCreateUploadableWithError?(request, error)
    }
    /// Calls ``requestDidProvideInputStream``.
    open func request(_ request: UploadRequest, didProvideInputStream stream: InputStream) {
        requestDidProvideInputStream?(request, stream)
    }
    /// Calls ``requestDidCreateDestinationURL``.
    open func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) {
        requestDidCreateDestinationURL?(request, url)
    }
    /// Calls ``requestDidFinishDownloadingUsingTaskWithResult``.
    open func request(
        _ request: DownloadRequest, didFinishDownloadingUsing task: RequestAttempt,
        with result: Result<URL, SessionError>
    ) {
        requestDidFinishDownloadingUsingTaskWithResult?(request, task, result)
    }
    /// Calls ``requestDidValidateRequestResponseFileURLWithResult``.
    open func request(
        _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
        fileURL: URL?, withResult result: Request.ValidationResult
    ) {
        requestDidValidateRequestResponseFileURLWithResult?(request, urlRequest, response, fileURL, result)
    }
    /// Calls ``requestDidParseDownloadResponse``.
    open func request(_ request: DownloadRequest, didParseResponse response: AFDownloadResponse<URL?>) {
        requestDidParseDownloadResponse?(request, response)
    }
}
