public import Foundation
public import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension EventMonitor {
    /// The main queue.
    public var queue: DispatchQueue { .main }

    /// Calls the callback of each event.
    public func receive(_ event: RequestEvent, of request: Request) { dispatch(event, of: request) }

    // These do nothing, so that a monitor implements only the callbacks that it needs.

    /// Does nothing.
    public func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) {}
    /// Does nothing.
    public func request(_ request: Request, didFailToCreateURLRequestWithError error: SessionError) {}
    /// Does nothing.
    public func request(
        _ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest
    ) {}
    /// Does nothing.
    public func request(
        _ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: SessionError
    ) {}
    /// Does nothing.
    public func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) {}
    /// Does nothing.
    public func request(_ request: Request, didCreateTask task: RequestAttempt) {}
    /// Does nothing.
    public func request(_ request: Request, didGatherMetrics metrics: TransportMetrics) {}
    /// Does nothing.
    public func request(_ request: Request, didFailTask task: RequestAttempt, earlyWithError error: SessionError) {}
    /// Does nothing.
    public func request(_ request: Request, didCompleteTask task: RequestAttempt, with error: SessionError?) {}
    /// Does nothing.
    public func request(_ request: Request, didResumeTask task: RequestAttempt) {}
    /// Does nothing.
    public func request(_ request: Request, didSuspendTask task: RequestAttempt) {}
    /// Does nothing.
    public func request(_ request: Request, didCancelTask task: RequestAttempt) {}
    /// Does nothing.
    public func requestIsRetrying(_ request: Request) {}
    /// Does nothing.
    public func requestDidFinish(_ request: Request) {}
    /// Does nothing.
    public func requestDidResume(_ request: Request) {}
    /// Does nothing.
    public func requestDidSuspend(_ request: Request) {}
    /// Does nothing.
    public func requestDidCancel(_ request: Request) {}
    /// Does nothing.
    public func request(_ request: Request, didSendBodyBytes bytes: Int64, expected: Int64?) {}
    /// Does nothing.
    public func request(_ request: Request, didReceiveInformationalResponse head: TransportResponseHead) {}
    /// Does nothing.
    public func request(_ request: Request, didReceiveResponse response: HTTPURLResponse) {}
    /// Does nothing.
    public func request(_ request: Request, didReceiveBodyBytes count: Int) {}
    /// Does nothing.
    public func request(
        _ request: Request, willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest
    ) {}
    /// Does nothing.
    public func request(_ request: Request, willAnswerChallengeBy scheme: String) {}
    /// Does nothing.
    public func requestWillCacheResponse(_ request: Request) {}
    /// Does nothing.
    public func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult
    ) {}
    /// Does nothing.
    public func request(_ request: DataRequest, didParseResponse response: AFDataResponse<Data?>) {}
    /// Calls the callback for the body.
    @preconcurrency
    public func request<Value: Sendable>(_ request: DataRequest, didParseResponse response: AFDataResponse<Value>) {
        let body: AFDataResponse<Data?> = response.map { _ in response.data }
        self.request(request, didParseResponse: body)
    }
    /// Does nothing.
    public func request(_ request: UploadRequest, didCreateUploadable uploadable: UploadRequest.Uploadable) {}
    /// Does nothing.
    public func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: SessionError) {}
    /// Does nothing.
    public func request(_ request: UploadRequest, didProvideInputStream stream: InputStream) {}
    /// Does nothing.
    public func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) {}
    /// Does nothing.
    public func request(
        _ request: DownloadRequest, didFinishDownloadingUsing task: RequestAttempt,
        with result: Result<URL, SessionError>
    ) {}
    /// Does nothing.
    public func request(
        _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
        fileURL: URL?, withResult result: Request.ValidationResult
    ) {}
    /// Does nothing.
    public func request(_ request: DownloadRequest, didParseResponse response: AFDownloadResponse<URL?>) {}
    /// Calls the callback for the file.
    @preconcurrency
    public func request<Value: Sendable>(
        _ request: DownloadRequest, didParseResponse response: AFDownloadResponse<Value>
    ) {
        let file: AFDownloadResponse<URL?> = response.map { _ in response.fileURL }
        self.request(request, didParseResponse: file)
    }
}
