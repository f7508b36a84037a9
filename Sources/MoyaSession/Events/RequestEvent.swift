public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// An event of a request, for an ``EventMonitor``.
///
/// A successful call produces, in this order: `didResume`, `didCreateInitialURLRequest`, `didAdaptURLRequest` if there
/// is an adapter, `didCreateURLRequest`, for an upload `didCreateUploadable`, `didCreateTask`, `didResumeTask`, the
/// events of the response, `didGatherMetrics`, `didValidate` for each validation, `didCompleteTask`, `didFinish`, and
/// `didParseResponse` for each response handler.
public enum RequestEvent: Sendable {
    // Building
    /// A `URLRequest` was made from the caller's request.
    case didCreateInitialURLRequest(URLRequest)
    /// No `URLRequest` could be made, or none that may be sent.
    case didFailToCreateURLRequest(SessionError)
    /// The adapters have changed the request.
    case didAdaptURLRequest(initial: URLRequest, adapted: URLRequest)
    /// An adapter has failed.
    case didFailToAdaptURLRequest(URLRequest, SessionError)
    /// The `URLRequest` is in its final form.
    case didCreateURLRequest(URLRequest)
    /// The body of an upload is ready.
    case didCreateUploadable
    /// The body of an upload could not be made.
    case didFailToCreateUploadable(SessionError)
    /// A stream is about to be read as the body of an upload.
    case didProvideInputStream

    // Life of the request
    /// The request was started or resumed.
    case didResume
    /// The request was suspended.
    case didSuspend
    /// The request was cancelled.
    case didCancel
    /// The request has ended.
    case didFinish
    /// Another attempt follows.
    case isRetrying

    // Life of an attempt
    /// An attempt is passed to the transport.
    case didCreateTask(RequestAttempt)
    /// The transport starts or resumes an attempt.
    case didResumeTask(RequestAttempt)
    /// The transport pauses reading.
    case didSuspendTask(RequestAttempt)
    /// The exchange was cancelled.
    case didCancelTask(RequestAttempt)
    /// An attempt has failed before its first response arrived.
    case didFailTaskEarly(RequestAttempt, SessionError)
    /// An attempt has ended, with its error or that of the validations.
    case didCompleteTask(RequestAttempt, SessionError?)
    /// The transport has measured an exchange.
    case didGatherMetrics(TransportMetrics)

    // Bodies in transit
    /// Bytes of the body were sent: the number so far, and the total if known.
    case didSendBodyBytes(Int64, expected: Int64?)
    /// An interim response (RFC 9110 section 15.2).
    case didReceiveInformationalResponse(TransportResponseHead)
    /// The head of the delivered response.
    case didReceiveResponse(TransportResponseHead, URL)
    /// The number of received bytes of the response body.
    case didReceiveBodyBytes(Int)
    /// The server redirects to the request, which is sent next unless a handler decides otherwise.
    case willPerformRedirection(TransportResponseHead, URL, to: URLRequest)
    /// The server requires credentials, and receives an answer.
    case willAnswerChallenge(scheme: String)
    /// The response is about to be stored in the session's cache.
    case willCacheResponse

    // The response
    /// A validation has evaluated the response.
    case didValidate(URLRequest?, TransportResponseHead, URL, data: Data?, fileURL: URL?, Request.ValidationResult)
    /// A download's file is about to be moved to its destination.
    case didCreateDestinationURL(URL)
    /// A download's file was moved to its destination, or the move failed.
    case didFinishDownloading(RequestAttempt, Result<URL, SessionError>)
    /// A response handler is about to receive the response.
    case didParseDataResponse(AFDataResponse<Data?>)
    /// A response handler is about to receive the response.
    case didParseDownloadResponse(AFDownloadResponse<URL?>)
}

/// One attempt of a request: the request passed to the transport, with its redirects and challenges.
public struct RequestAttempt: Sendable, Hashable {
    /// The number of the attempt, from 0.
    public let number: Int
    /// The first request of the attempt.
    public let urlRequest: URLRequest
}
