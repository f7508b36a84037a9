import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EventMonitor {
    /// Calls the callback of an event.
    func dispatch(_ event: RequestEvent, of request: Request) {
        switch event {
        case .didCreateInitialURLRequest(let made): self.request(request, didCreateInitialURLRequest: made)
        case .didFailToCreateURLRequest(let error): self.request(request, didFailToCreateURLRequestWithError: error)
        case .didAdaptURLRequest(let initial, let adapted):
            self.request(request, didAdaptInitialRequest: initial, to: adapted)
        case .didFailToAdaptURLRequest(let initial, let error):
            self.request(request, didFailToAdaptURLRequest: initial, withError: error)
        case .didCreateURLRequest(let made): self.request(request, didCreateURLRequest: made)
        case .didResume: requestDidResume(request)
        case .didSuspend: requestDidSuspend(request)
        case .didCancel: requestDidCancel(request)
        case .didFinish: requestDidFinish(request)
        case .isRetrying: requestIsRetrying(request)
        case .didCreateTask(let task): self.request(request, didCreateTask: task)
        case .didResumeTask(let task): self.request(request, didResumeTask: task)
        case .didSuspendTask(let task): self.request(request, didSuspendTask: task)
        case .didCancelTask(let task): self.request(request, didCancelTask: task)
        case .didFailTaskEarly(let task, let error): self.request(request, didFailTask: task, earlyWithError: error)
        case .didCompleteTask(let task, let error): self.request(request, didCompleteTask: task, with: error)
        case .didGatherMetrics(let metrics): self.request(request, didGatherMetrics: metrics)
        default: dispatchTransfer(event, of: request)
        }
    }

    private func dispatchTransfer(_ event: RequestEvent, of request: Request) {
        switch event {
        case .didSendBodyBytes(let bytes, let expected):
            self.request(request, didSendBodyBytes: bytes, expected: expected)
        case .didReceiveInformationalResponse(let head):
            self.request(request, didReceiveInformationalResponse: head)
        case .didReceiveResponse(let head, let url):
            guard let response = HTTPURLResponse(head: head, url: url) else { return }
            self.request(request, didReceiveResponse: response)
        case .didReceiveBodyBytes(let count): self.request(request, didReceiveBodyBytes: count)
        case .willPerformRedirection(let head, let url, let next):
            guard let response = HTTPURLResponse(head: head, url: url) else { return }
            self.request(request, willPerformHTTPRedirection: response, newRequest: next)
        case .willAnswerChallenge(let scheme): self.request(request, willAnswerChallengeBy: scheme)
        case .willCacheResponse: requestWillCacheResponse(request)
        case .didParseDataResponse(let response):
            if let request = request as? DataRequest { response.notify(self, of: request) }
        case .didParseDownloadResponse(let response):
            if let request = request as? DownloadRequest { response.notify(self, of: request) }
        case .didValidate(let sent, let head, let url, let data, let fileURL, let result):
            guard let response = HTTPURLResponse(head: head, url: url) else { return }
            if let request = request as? DownloadRequest {
                self.request(
                    request, didValidateRequest: sent, response: response, fileURL: fileURL, withResult: result)
            } else if let request = request as? DataRequest {
                self.request(request, didValidateRequest: sent, response: response, data: data, withResult: result)
            }
        default:
            if let upload = request as? UploadRequest { dispatchUpload(event, of: upload) }
            if let download = request as? DownloadRequest { dispatchDownload(event, of: download) }
        }
    }

    private func dispatchUpload(_ event: RequestEvent, of request: UploadRequest) {
        switch event {
        case .didCreateUploadable:
            if let uploadable = request.uploadable { self.request(request, didCreateUploadable: uploadable) }
        case .didFailToCreateUploadable(let error):
            self.request(request, didFailToCreateUploadableWithError: error)
        case .didProvideInputStream:
            if case .stream(let stream)? = request.uploadable { self.request(request, didProvideInputStream: stream) }
        default: break
        }
    }

    private func dispatchDownload(_ event: RequestEvent, of request: DownloadRequest) {
        switch event {
        case .didCreateDestinationURL(let url): self.request(request, didCreateDestinationURL: url)
        case .didFinishDownloading(let task, let result):
            self.request(request, didFinishDownloadingUsing: task, with: result)
        default: break
        }
    }
}
