import Foundation
import MoyaTransport

extension RequestEvent: MaskedDescription {
    /// The event, with its request, response or error, with secrets masked and without bytes of a body.
    public var description: String {
        switch self {
        case .didCreateInitialURLRequest(let request): "didCreateInitialURLRequest(\(requestText(request)))"
        case .didFailToCreateURLRequest(let error): "didFailToCreateURLRequest(\(error))"
        case .didAdaptURLRequest(let initial, let adapted):
            "didAdaptURLRequest(\(requestText(initial)), \(requestText(adapted)))"
        case .didFailToAdaptURLRequest(let request, let error):
            "didFailToAdaptURLRequest(\(requestText(request)), \(error))"
        case .didCreateURLRequest(let request): "didCreateURLRequest(\(requestText(request)))"
        case .didCreateUploadable: "didCreateUploadable"
        case .didFailToCreateUploadable(let error): "didFailToCreateUploadable(\(error))"
        case .didProvideInputStream: "didProvideInputStream"
        case .didResume: "didResume"
        case .didSuspend: "didSuspend"
        case .didCancel: "didCancel"
        case .didFinish: "didFinish"
        case .isRetrying: "isRetrying"
        case .didCreateTask(let task): "didCreateTask(\(task))"
        case .didResumeTask(let task): "didResumeTask(\(task))"
        case .didSuspendTask(let task): "didSuspendTask(\(task))"
        case .didCancelTask(let task): "didCancelTask(\(task))"
        case .didFailTaskEarly(let task, let error): "didFailTaskEarly(\(task), \(error))"
        case .didCompleteTask(let task, let error): "didCompleteTask(\(task), \(error.map { "\($0)" } ?? "nil"))"
        case .didGatherMetrics(let metrics): "didGatherMetrics(\(metrics))"
        case .didSendBodyBytes(let sent, let expected):
            "didSendBodyBytes(\(sent), \(expected.map { "\($0)" } ?? "unknown"))"
        case .didReceiveInformationalResponse(let head): "didReceiveInformationalResponse(\(head))"
        case .didReceiveResponse(let head, let url):
            "didReceiveResponse(\(head), \(SecretMask.standard.url(url.absoluteString)))"
        case .didReceiveBodyBytes(let count): "didReceiveBodyBytes(\(count))"
        case .willPerformRedirection(let head, let url, let next):
            "willPerformRedirection(\(head), \(SecretMask.standard.url(url.absoluteString)), \(requestText(next)))"
        case .willAnswerChallenge(let scheme): "willAnswerChallenge(\(scheme))"
        case .willCacheResponse: "willCacheResponse"
        case .didValidate(let request, let head, let url, _, _, let result):
            "didValidate(\(requestText(request)), \(head), \(SecretMask.standard.url(url.absoluteString)), \(SecretMask.standard.text(describing: result)))"
        case .didCreateDestinationURL(let url):
            "didCreateDestinationURL(\(SecretMask.standard.url(url.absoluteString)))"
        case .didFinishDownloading(let task, let result):
            "didFinishDownloading(\(task), \(SecretMask.standard.text(describing: result)))"
        case .didParseDataResponse(let response): "didParseDataResponse(\(response))"
        case .didParseDownloadResponse(let response): "didParseDownloadResponse(\(response))"
        }
    }
}
