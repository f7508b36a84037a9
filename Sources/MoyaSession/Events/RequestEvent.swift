public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Something that happened to a request; what an ``EventMonitor`` hears.
///
/// A call that goes well brings, in this order: `didResume`, `didCreateInitialURLRequest`, `didAdaptURLRequest` where there
/// is an adapter, `didCreateURLRequest`, for an upload `didCreateUploadable`, `didCreateTask`, `didResumeTask`, what
/// arrives, `didGatherMetrics`, `didValidate` for each validation, `didCompleteTask`, `didFinish`, and `didParseResponse`
/// for each response handler.
public enum RequestEvent: Sendable {
    // Building
    /// A `URLRequest` was made of what the caller gave.
    case didCreateInitialURLRequest(URLRequest)
    /// No `URLRequest` could be made, or none that may be sent.
    case didFailToCreateURLRequest(SessionError)
    /// The adapters have changed the request.
    case didAdaptURLRequest(initial: URLRequest, adapted: URLRequest)
    /// An adapter has failed.
    case didFailToAdaptURLRequest(URLRequest, SessionError)
    /// The `URLRequest` is as it will be sent.
    case didCreateURLRequest(URLRequest)
    /// The body of an upload is ready.
    case didCreateUploadable
    /// The body of an upload could not be made.
    case didFailToCreateUploadable(SessionError)
    /// A stream is about to be read as the body of an upload.
    case didProvideInputStream

    // Life of the request
    /// The request was started, or goes on.
    case didResume
    /// The request is held back.
    case didSuspend
    /// The request was cancelled.
    case didCancel
    /// The request is over.
    case didFinish
    /// Another attempt follows.
    case isRetrying

    // Life of an attempt
    /// An attempt is handed to the transport.
    case didCreateTask(RequestAttempt)
    /// The transport works on an attempt, or goes on with it.
    case didResumeTask(RequestAttempt)
    /// The transport reads no more for the time being.
    case didSuspendTask(RequestAttempt)
    /// The exchange was cancelled.
    case didCancelTask(RequestAttempt)
    /// An attempt has failed before its first response arrived.
    case didFailTaskEarly(RequestAttempt, SessionError)
    /// An attempt is over, with the error that it brought or the validations found.
    case didCompleteTask(RequestAttempt, SessionError?)
    /// The transport has measured an exchange.
    case didGatherMetrics(TransportMetrics)

    // Bodies in transit
    /// Bytes of the body have left: in all so far, of how many where that is known.
    case didSendBodyBytes(Int64, expected: Int64?)
    /// An interim response (RFC 9110 section 15.2).
    case didReceiveInformationalResponse(TransportResponseHead)
    /// The head of the response that is delivered.
    case didReceiveResponse(TransportResponseHead, URL)
    /// That many bytes of the body of the response.
    case didReceiveBodyBytes(Int)
    /// The server redirects to that request, which follows unless a handler decides otherwise.
    case willPerformRedirection(TransportResponseHead, URL, to: URLRequest)
    /// The server requires credentials, and is answered.
    case willAnswerChallenge(scheme: String)
    /// The response is about to be stored in the session's cache.
    case willCacheResponse

    // The response
    /// A validation has looked at the response.
    case didValidate(URLRequest?, TransportResponseHead, URL, data: Data?, fileURL: URL?, Request.ValidationResult)
    /// A download's file is about to be moved to that place.
    case didCreateDestinationURL(URL)
    /// A download's file is where it belongs, or is not.
    case didFinishDownloading(RequestAttempt, Result<URL, SessionError>)
    /// A response handler is about to be given that response.
    case didParseDataResponse(AFDataResponse<Data?>)
    /// A response handler is about to be given that response.
    case didParseDownloadResponse(AFDownloadResponse<URL?>)
}

/// One attempt at a request: what is handed to the transport, and all that follows from redirects and challenges.
public struct RequestAttempt: Sendable, Hashable {
    /// Counts from 0.
    public let number: Int
    /// The request that the attempt began with.
    public let urlRequest: URLRequest
}
