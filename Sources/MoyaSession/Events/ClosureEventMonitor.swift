public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// An ``EventMonitor`` with closures, which have to be set before it is passed to a session.
///
/// `@unchecked`: the closures have to be set before the first request, and are only read afterwards.
open class ClosureEventMonitor: EventMonitor, @unchecked Sendable {
    /// The queue of the closures.
    public let queue: DispatchQueue

    /// Makes a monitor whose closures run on a queue.
    public init(queue: DispatchQueue = .main) { self.queue = queue }

    /// Called when a `URLRequest` was made from the caller's request.
    @preconcurrency open var requestDidCreateInitialURLRequest: (@Sendable (Request, URLRequest) -> Void)?
    /// Called when no `URLRequest` could be made, or none that may be sent.
    @preconcurrency open var requestDidFailToCreateURLRequestWithError: (@Sendable (Request, SessionError) -> Void)?
    /// Called when the adapters have changed the request.
    @preconcurrency open var requestDidAdaptInitialRequestToAdaptedRequest:
        (@Sendable (Request, URLRequest, URLRequest) -> Void)?
    /// Called when an adapter has failed.
    @preconcurrency open var requestDidFailToAdaptURLRequestWithError:
        (@Sendable (Request, URLRequest, SessionError) -> Void)?
    /// Called when the `URLRequest` is in its final form.
    @preconcurrency open var requestDidCreateURLRequest: (@Sendable (Request, URLRequest) -> Void)?
    /// Called when an attempt is passed to the transport.
    @preconcurrency open var requestDidCreateTask: (@Sendable (Request, RequestAttempt) -> Void)?
    /// Called when the transport has measured an exchange.
    @preconcurrency open var requestDidGatherMetrics: (@Sendable (Request, TransportMetrics) -> Void)?
    /// Called when an attempt has failed before its first response arrived.
    @preconcurrency open var requestDidFailTaskEarlyWithError:
        (@Sendable (Request, RequestAttempt, SessionError) -> Void)?
    /// Called when an attempt has ended.
    @preconcurrency open var requestDidCompleteTaskWithError:
        (@Sendable (Request, RequestAttempt, SessionError?) -> Void)?
    /// Called when the transport starts or resumes an attempt.
    @preconcurrency open var requestDidResumeTask: (@Sendable (Request, RequestAttempt) -> Void)?
    /// Called when the transport pauses reading.
    @preconcurrency open var requestDidSuspendTask: (@Sendable (Request, RequestAttempt) -> Void)?
    /// Called when the exchange was cancelled.
    @preconcurrency open var requestDidCancelTask: (@Sendable (Request, RequestAttempt) -> Void)?
    /// Called when another attempt follows.
    @preconcurrency open var requestIsRetrying: (@Sendable (Request) -> Void)?
    /// Called when the request has ended.
    @preconcurrency open var requestDidFinish: (@Sendable (Request) -> Void)?
    /// Called when the request was started or resumed.
    @preconcurrency open var requestDidResume: (@Sendable (Request) -> Void)?
    /// Called when the request was suspended.
    @preconcurrency open var requestDidSuspend: (@Sendable (Request) -> Void)?
    /// Called when the request was cancelled.
    @preconcurrency open var requestDidCancel: (@Sendable (Request) -> Void)?
    /// Called when bytes of the body were sent.
    @preconcurrency open var requestDidSendBodyBytes: (@Sendable (Request, Int64, Int64?) -> Void)?
    /// Called when an interim response has arrived.
    @preconcurrency open var requestDidReceiveInformationalResponse:
        (@Sendable (Request, TransportResponseHead) -> Void)?
    /// Called when the head of the response has arrived.
    @preconcurrency open var requestDidReceiveResponse: (@Sendable (Request, HTTPURLResponse) -> Void)?
    /// Called when bytes of the response's body have arrived.
    @preconcurrency open var requestDidReceiveBodyBytes: (@Sendable (Request, Int) -> Void)?
    /// Called when the server redirects.
    @preconcurrency open var requestWillPerformHTTPRedirection:
        (@Sendable (Request, HTTPURLResponse, URLRequest) -> Void)?
    /// Called when the server requires credentials, with the scheme of the answer.
    @preconcurrency open var requestWillAnswerChallengeBy: (@Sendable (Request, String) -> Void)?
    /// Called before the response is stored in the session's cache.
    @preconcurrency open var requestWillCacheResponse: (@Sendable (Request) -> Void)?
    /// Called when a validation has evaluated the response.
    @preconcurrency open var requestDidValidateRequestResponseDataWithResult:
        (@Sendable (DataRequest, URLRequest?, HTTPURLResponse, Data?, Request.ValidationResult) -> Void)?
    /// Called before a response handler receives the response.
    @preconcurrency open var requestDidParseResponse: (@Sendable (DataRequest, AFDataResponse<Data?>) -> Void)?
    /// Called when the body is ready.
    @preconcurrency open var requestDidCreateUploadable: (@Sendable (UploadRequest, UploadRequest.Uploadable) -> Void)?
    /// Called when the body could not be made.
    @preconcurrency open var requestDidFailToCreateUploadableWithError:
        (@Sendable (UploadRequest, SessionError) -> Void)?
    /// Called before a stream is read.
    @preconcurrency open var requestDidProvideInputStream: (@Sendable (UploadRequest, InputStream) -> Void)?
    /// Called before the file is moved to its destination.
    @preconcurrency open var requestDidCreateDestinationURL: (@Sendable (DownloadRequest, URL) -> Void)?
    /// Called when the file was moved to its destination, or the move failed.
    @preconcurrency open var requestDidFinishDownloadingUsingTaskWithResult:
        (@Sendable (DownloadRequest, RequestAttempt, Result<URL, SessionError>) -> Void)?
    /// Called when a validation has evaluated the response.
    @preconcurrency open var requestDidValidateRequestResponseFileURLWithResult:
        (@Sendable (DownloadRequest, URLRequest?, HTTPURLResponse, URL?, Request.ValidationResult) -> Void)?
    /// Called before a response handler receives the response.
    @preconcurrency open var requestDidParseDownloadResponse:
        (@Sendable (DownloadRequest, AFDownloadResponse<URL?>) -> Void)?

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
