import Foundation
import MoyaTransport

extension RequestEvent: MaskedDescription {
    /// The event, with its request, response or error, with secrets masked and without bytes of a body.
    public var description: String {
        switch self {
        case .didCreateInitialURLRequest(let value): "didCreateInitialURLRequest(\(requestText(value)))"
        case .didFailToCreateURLRequest(let value): "didFailToCreateURLRequest(\(value))"
        case .didAdaptURLRequest(let value, let other):
            "didAdaptURLRequest(\(requestText(value)), \(requestText(other)))"
        case .didFailToAdaptURLRequest(let value, let other):
            "didFailToAdaptURLRequest(\(requestText(value)), \(other))"
        case .didCreateURLRequest(let value): "didCreateURLRequest(\(requestText(value)))"
        case .didCreateUploadable: "didCreateUploadable"
        case .didFailToCreateUploadable(let value): "didFailToCreateUploadable(\(value))"
        case .didProvideInputStream: "didProvideInputStream"
        case .didResume: "didResume"
        case .didSuspend: "didSuspend"
        case .didCancel: "didCancel"
        case .didFinish: "didFinish"
        case .isRetrying: "isRetrying"
        case .didCreateTask(let value): "didCreateTask(\(value))"
        case .didResumeTask(let value): "didResumeTask(\(value))"
        case .didSuspendTask(let value): "didSuspendTask(\(value))"
        case .didCancelTask(let value): "didCancelTask(\(value))"
        case .didFailTaskEarly(let value, let other): "didFailTaskEarly(\(value), \(other))"
        case .didCompleteTask(let value, let other): "didCompleteTask(\(value), \(other.map { "\($0)" } ?? "nil"))"
        case .didGatherMetrics(let value): "didGatherMetrics(\(value))"
        case .didSendBodyBytes(let value, let other):
            "didSendBodyBytes(\(value), \(other.map { "\($0)" } ?? "unknown"))"
        case .didReceiveInformationalResponse(let value): "didReceiveInformationalResponse(\(value))"
        case .didReceiveResponse(let value, let other):
            "didReceiveResponse(\(value), \(SecretMask.standard.url(other.absoluteString)))"
        case .didReceiveBodyBytes(let value): "didReceiveBodyBytes(\(value))"
        case .willPerformRedirection(let value, let other, let v2):
            "willPerformRedirection(\(value), \(SecretMask.standard.url(other.absoluteString)), \(requestText(v2)))"
        case .willAnswerChallenge(let value): "willAnswerChallenge(\(value))"
        case .willCacheResponse: "willCacheResponse"
        case .didValidate(let value, let other, let v2, _, _, let v5):
            "didValidate(\(requestText(value)), \(other), \(SecretMask.standard.url(v2.absoluteString)), \(SecretMask.standard.text(describing: v5)))"
        case .didCreateDestinationURL(let value):
            "didCreateDestinationURL(\(SecretMask.standard.url(value.absoluteString)))"
        case .didFinishDownloading(let value, let other):
            "didFinishDownloading(\(value), \(SecretMask.standard.text(describing: other)))"
        case .didParseDataResponse(let value): "didParseDataResponse(\(value))"
        case .didParseDownloadResponse(let value): "didParseDownloadResponse(\(value))"
        }
    }
}
