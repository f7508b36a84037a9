public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Observes the requests of a session.
///
/// ### Do I need this?
/// Use it to log, count or time all requests of a session. To observe the calls of one provider, with their targets,
/// write a plugin. To change a request, write a ``RequestAdapter``.
///
/// ### Implementation
/// Implement the callbacks that you need: each has an empty default. Or implement only ``receive(_:of:)``, which
/// receives every event.
///
/// ### Threads and queues
/// Every callback is called asynchronously on ``queue``, in the order of the events if the queue is serial. Without
/// monitors, events cost nothing.
@preconcurrency
public protocol EventMonitor: Sendable {
    /// The queue of the callbacks; the main queue by default.
    var queue: DispatchQueue { get }

    /// Receives every event; by default calls the event's callback.
    func receive(_ event: RequestEvent, of request: Request)

    /// Called when a `URLRequest` was made from the caller's request.
    func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest)
    /// Called when no `URLRequest` could be made, or none that may be sent.
    func request(_ request: Request, didFailToCreateURLRequestWithError error: SessionError)
    /// Called when the adapters have changed the request.
    func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest)
    /// Called when an adapter has failed.
    func request(
        _ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: SessionError)
    /// Called when the `URLRequest` is in its final form.
    func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest)

    /// Called when an attempt is passed to the transport.
    func request(_ request: Request, didCreateTask task: RequestAttempt)
    /// Called when the transport has measured an exchange.
    func request(_ request: Request, didGatherMetrics metrics: TransportMetrics)
    /// Called when an attempt has failed before its first response arrived.
    func request(_ request: Request, didFailTask task: RequestAttempt, earlyWithError error: SessionError)
    /// Called when an attempt has ended.
    func request(_ request: Request, didCompleteTask task: RequestAttempt, with error: SessionError?)
    /// Called when the transport starts or resumes an attempt.
    func request(_ request: Request, didResumeTask task: RequestAttempt)
    /// Called when the transport pauses reading.
    func request(_ request: Request, didSuspendTask task: RequestAttempt)
    /// Called when the exchange was cancelled.
    func request(_ request: Request, didCancelTask task: RequestAttempt)

    /// Called when another attempt follows.
    func requestIsRetrying(_ request: Request)
    /// Called when the request has ended.
    func requestDidFinish(_ request: Request)
    /// Called when the request was started or resumed.
    func requestDidResume(_ request: Request)
    /// Called when the request was suspended.
    func requestDidSuspend(_ request: Request)
    /// Called when the request was cancelled.
    func requestDidCancel(_ request: Request)

    /// Called when bytes of the body were sent.
    func request(_ request: Request, didSendBodyBytes bytes: Int64, expected: Int64?)
    /// Called when an interim response has arrived.
    func request(_ request: Request, didReceiveInformationalResponse head: TransportResponseHead)
    /// Called when the head of the response has arrived.
    func request(_ request: Request, didReceiveResponse response: HTTPURLResponse)
    /// Called when bytes of the response's body have arrived.
    func request(_ request: Request, didReceiveBodyBytes count: Int)
    /// Called when the server redirects.
    func request(
        _ request: Request, willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest)
    /// Called when the server requires credentials, with the scheme of the answer.
    func request(_ request: Request, willAnswerChallengeBy scheme: String)
    /// Called before the response is stored in the session's cache.
    func requestWillCacheResponse(_ request: Request)

    /// Called when a validation has evaluated the response.
    func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult)
    /// Called before a response handler receives the response.
    func request(_ request: DataRequest, didParseResponse response: AFDataResponse<Data?>)
    /// Called before a response handler receives the value that a serializer made; by default calls the callback above,
    /// with the body in place of the value.
    @preconcurrency
    func request<Value: Sendable>(_ request: DataRequest, didParseResponse response: AFDataResponse<Value>)

    /// Called when the body is ready.
    func request(_ request: UploadRequest, didCreateUploadable uploadable: UploadRequest.Uploadable)
    /// Called when the body could not be made.
    func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: SessionError)
    /// Called before a stream is read.
    func request(_ request: UploadRequest, didProvideInputStream stream: InputStream)

    /// Called before the file is moved to its destination.
    func request(_ request: DownloadRequest, didCreateDestinationURL url: URL)
    /// Called when the file was moved to its destination, or the move failed.
    func request(
        _ request: DownloadRequest, didFinishDownloadingUsing task: RequestAttempt,
        with result: Result<URL, SessionError>)
    /// Called when a validation has evaluated the response.
    func request(
        _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
        fileURL: URL?, withResult result: Request.ValidationResult)
    /// Called before a response handler receives the response.
    func request(_ request: DownloadRequest, didParseResponse response: AFDownloadResponse<URL?>)
    /// Called before a response handler receives the value that a serializer made; by default calls the callback above,
    /// with the file in place of the value.
    @preconcurrency
    func request<Value: Sendable>(_ request: DownloadRequest, didParseResponse response: AFDownloadResponse<Value>)
}
