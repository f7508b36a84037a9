public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Watches the requests of a session, without a hand in them.
///
/// ### Do I need this?
/// To log, to count, to time, over all requests of a session. To watch the calls of one provider, with their targets,
/// write a plugin. To change a request, write a ``RequestAdapter``.
///
/// ### Implementation
/// Implement the callbacks that you care about: each has a default that does nothing. Or implement
/// ``receive(_:of:)`` alone, which hears everything.
///
/// ### Threads and queues
/// Every callback is called asynchronously on ``queue``, in the order in which things happened. A session without
/// monitors pays nothing for them.
@preconcurrency
public protocol EventMonitor: Sendable {
    /// The queue of the callbacks; the main queue by default.
    var queue: DispatchQueue { get }

    /// Hears of everything; by default hands each event to its own callback.
    func receive(_ event: RequestEvent, of request: Request)

    /// A `URLRequest` was made of what the caller gave.
    func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest)
    /// No `URLRequest` could be made, or none that may be sent.
    func request(_ request: Request, didFailToCreateURLRequestWithError error: SessionError)
    /// The adapters have changed the request.
    func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest)
    /// An adapter has failed.
    func request(
        _ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: SessionError)
    /// The `URLRequest` is as it will be sent.
    func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest)

    /// An attempt is handed to the transport.
    func request(_ request: Request, didCreateTask task: RequestAttempt)
    /// The transport has measured an exchange.
    func request(_ request: Request, didGatherMetrics metrics: TransportMetrics)
    /// An attempt has failed before its first response arrived.
    func request(_ request: Request, didFailTask task: RequestAttempt, earlyWithError error: SessionError)
    /// An attempt is over.
    func request(_ request: Request, didCompleteTask task: RequestAttempt, with error: SessionError?)
    /// The transport works on an attempt, or goes on with it.
    func request(_ request: Request, didResumeTask task: RequestAttempt)
    /// The transport reads no more for the time being.
    func request(_ request: Request, didSuspendTask task: RequestAttempt)
    /// The exchange was cancelled.
    func request(_ request: Request, didCancelTask task: RequestAttempt)

    /// Another attempt follows.
    func requestIsRetrying(_ request: Request)
    /// The request is over.
    func requestDidFinish(_ request: Request)
    /// The request was started, or goes on.
    func requestDidResume(_ request: Request)
    /// The request is held back.
    func requestDidSuspend(_ request: Request)
    /// The request was cancelled.
    func requestDidCancel(_ request: Request)

    /// Bytes of the body have left.
    func request(_ request: Request, didSendBodyBytes bytes: Int64, expected: Int64?)
    /// An interim response has arrived.
    func request(_ request: Request, didReceiveInformationalResponse head: TransportResponseHead)
    /// The head of the response has arrived.
    func request(_ request: Request, didReceiveResponse response: HTTPURLResponse)
    /// Bytes of the response's body have arrived.
    func request(_ request: Request, didReceiveBodyBytes count: Int)
    /// The server redirects.
    func request(
        _ request: Request, willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest)
    /// The server requires credentials, and is answered by that scheme.
    func request(_ request: Request, willAnswerChallengeBy scheme: String)
    /// The response is about to be stored in the session's cache.
    func requestWillCacheResponse(_ request: Request)

    /// A validation has looked at the response.
    func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult)
    /// A response handler is about to be given that response.
    func request(_ request: DataRequest, didParseResponse response: AFDataResponse<Data?>)

    /// The body is ready.
    func request(_ request: UploadRequest, didCreateUploadable uploadable: UploadRequest.Uploadable)
    /// The body could not be made.
    func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: SessionError)
    /// A stream is about to be read.
    func request(_ request: UploadRequest, didProvideInputStream stream: InputStream)

    /// The file is about to be moved to that place.
    func request(_ request: DownloadRequest, didCreateDestinationURL url: URL)
    /// The file is where it belongs, or is not.
    func request(
        _ request: DownloadRequest, didFinishDownloadingUsing task: RequestAttempt,
        with result: Result<URL, SessionError>)
    /// A validation has looked at the response.
    func request(
        _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
        fileURL: URL?, withResult result: Request.ValidationResult)
    /// A response handler is about to be given that response.
    func request(_ request: DownloadRequest, didParseResponse response: AFDownloadResponse<URL?>)
}
