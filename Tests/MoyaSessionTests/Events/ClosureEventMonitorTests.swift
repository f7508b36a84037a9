import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ClosureEventMonitorTests {
    private let session = Session.over(StubbedTransport(.silence))
    private let called = Recorded<String>()

    private func urlRequest() -> URLRequest { .to("http://a.example/") }

    private func monitor() -> ClosureEventMonitor {
        let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "org.moya.tests.closures"))
        let called = called
        monitor.requestDidCreateInitialURLRequest = { _, _ in called.add("didCreateInitialURLRequest") }
        monitor.requestDidFailToCreateURLRequestWithError = { _, _ in called.add("didFailToCreateURLRequest") }
        monitor.requestDidAdaptInitialRequestToAdaptedRequest = { _, _, _ in called.add("didAdaptURLRequest") }
        monitor.requestDidFailToAdaptURLRequestWithError = { _, _, _ in called.add("didFailToAdaptURLRequest") }
        monitor.requestDidCreateURLRequest = { _, _ in called.add("didCreateURLRequest") }
        monitor.requestDidCreateTask = { _, _ in called.add("didCreateTask") }
        monitor.requestDidGatherMetrics = { _, _ in called.add("didGatherMetrics") }
        monitor.requestDidFailTaskEarlyWithError = { _, _, _ in called.add("didFailTaskEarly") }
        monitor.requestDidCompleteTaskWithError = { _, _, _ in called.add("didCompleteTask") }
        monitor.requestDidResumeTask = { _, _ in called.add("didResumeTask") }
        monitor.requestDidSuspendTask = { _, _ in called.add("didSuspendTask") }
        monitor.requestDidCancelTask = { _, _ in called.add("didCancelTask") }
        monitor.requestIsRetrying = { _ in called.add("isRetrying") }
        monitor.requestDidFinish = { _ in called.add("didFinish") }
        monitor.requestDidResume = { _ in called.add("didResume") }
        monitor.requestDidSuspend = { _ in called.add("didSuspend") }
        monitor.requestDidCancel = { _ in called.add("didCancel") }
        monitor.requestDidSendBodyBytes = { _, _, _ in called.add("didSendBodyBytes") }
        monitor.requestDidReceiveInformationalResponse = { _, _ in called.add("didReceiveInformationalResponse") }
        monitor.requestDidReceiveResponse = { _, _ in called.add("didReceiveResponse") }
        monitor.requestDidReceiveBodyBytes = { _, _ in called.add("didReceiveBodyBytes") }
        monitor.requestWillPerformHTTPRedirection = { _, _, _ in called.add("willPerformRedirection") }
        monitor.requestWillAnswerChallengeBy = { _, _ in called.add("willAnswerChallenge") }
        monitor.requestWillCacheResponse = { _ in called.add("willCacheResponse") }
        monitor.requestDidValidateRequestResponseDataWithResult = { _, _, _, _, _ in called.add("didValidate") }
        monitor.requestDidParseResponse = { _, _ in called.add("didParseDataResponse") }
        monitor.requestDidCreateUploadable = { _, _ in called.add("didCreateUploadable") }
        monitor.requestDidFailToCreateUploadableWithError = { _, _ in called.add("didFailToCreateUploadable") }
        monitor.requestDidProvideInputStream = { _, _ in called.add("didProvideInputStream") }
        monitor.requestDidCreateDestinationURL = { _, _ in called.add("didCreateDestinationURL") }
        monitor.requestDidFinishDownloadingUsingTaskWithResult = { _, _, _ in called.add("didFinishDownloading") }
        monitor.requestDidValidateRequestResponseFileURLWithResult = { _, _, _, _, _ in called.add("didValidate") }
        monitor.requestDidParseDownloadResponse = { _, _ in called.add("didParseDownloadResponse") }
        return monitor
    }

    private func events() throws -> [RequestEvent] {
        let url = URL.sure("http://a.example/")
        let head = TransportResponseHead(status: 200)
        let task = RequestAttempt(number: 0, urlRequest: urlRequest())
        let next = urlRequest()
        return [
            .didCreateInitialURLRequest(next), .didFailToCreateURLRequest(.explicitlyCancelled),
            .didAdaptURLRequest(initial: next, adapted: next),
            .didFailToAdaptURLRequest(next, .explicitlyCancelled), .didCreateURLRequest(next), .didResume,
            .didSuspend, .didCancel, .didFinish, .isRetrying, .didCreateTask(task), .didResumeTask(task),
            .didSuspendTask(task), .didCancelTask(task), .didFailTaskEarly(task, .explicitlyCancelled),
            .didCompleteTask(task, nil), .didGatherMetrics(TransportMetrics()), .didSendBodyBytes(1, expected: 2),
            .didReceiveInformationalResponse(head), .didReceiveResponse(head, url), .didReceiveBodyBytes(1),
            .willPerformRedirection(head, url, to: next), .willAnswerChallenge(scheme: "Basic"), .willCacheResponse,
            .didValidate(nil, head, url, data: nil, fileURL: nil, .success(())),
        ]
    }

    private func heard(_ events: [RequestEvent], of request: Request) -> [String] {
        let monitor = monitor()
        for event in events { monitor.receive(event, of: request) }
        return called.all
    }

    @Test func everyClosureReceivesItsEventOfADataRequest() throws {
        let request = session.request(urlRequest())
        let response = AFDataResponse<Data?>(
            request: nil, response: nil, data: nil, metrics: nil, serializationDuration: 0, result: .success(nil))
        let events = try events() + [.didParseDataResponse(response)]
        #expect(heard(events, of: request) == events.map(\.name))
    }

    @Test func everyClosureReceivesItsEventOfAnUpload() {
        let request = session.upload(InputStream(data: Data()), with: urlRequest())
        let events: [RequestEvent] = [
            .didCreateUploadable, .didFailToCreateUploadable(.explicitlyCancelled), .didProvideInputStream,
        ]
        #expect(heard(events, of: request) == events.map(\.name))
    }

    @Test func everyClosureReceivesItsEventOfADownload() {
        let request = session.download(urlRequest())
        let url = URL.sure("http://a.example/")
        let task = RequestAttempt(number: 0, urlRequest: urlRequest())
        let response = AFDownloadResponse<URL?>(
            request: nil, response: nil, fileURL: nil, partial: nil, metrics: nil, serializationDuration: 0,
            result: .success(nil))
        let events: [RequestEvent] = [
            .didCreateDestinationURL(url), .didFinishDownloading(task, .success(url)),
            .didValidate(nil, TransportResponseHead(status: 200), url, data: nil, fileURL: url, .success(())),
            .didParseDownloadResponse(response),
        ]
        #expect(heard(events, of: request) == events.map(\.name))
    }

    @Test func aMonitorWithoutClosuresIgnoresEvents() throws {
        let monitor = ClosureEventMonitor()
        for event in try events() { monitor.receive(event, of: session.request(urlRequest())) }
        #expect(called.all.isEmpty)
        #expect(monitor.queue.label == DispatchQueue.main.label)
    }
}
