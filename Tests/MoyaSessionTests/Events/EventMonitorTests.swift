import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The exact lists of events, on a transport that the test takes on step by step.
@Suite struct EventMonitorTests {
    private let transport = SteppedTransport()
    private let recorder = EventRecorder()
    private static let url = "http://a.example/"
    private static let begun = ["didResume", "didCreateInitialURLRequest", "didCreateURLRequest"]
    private static let adapted = [
        "didResume", "didCreateInitialURLRequest", "didAdaptURLRequest", "didCreateURLRequest", "didCreateTask",
        "didResumeTask",
    ]
    private static let sent = begun + ["didCreateTask", "didResumeTask"]

    private func session(_ interceptor: (any RequestInterceptor)? = nil) -> Session {
        .over(transport, interceptor: interceptor, monitors: [recorder])
    }

    @Test func aSuccessIsReportedInItsOrder() async {
        let session = session()
        let request = session.request(URLRequest.to(Self.url)).validate(statusCode: [200]).resume()
        transport.exchanges[0].respond(200, [], "hello")
        _ = await request.answered()
        #expect(
            recorder.names == Self.sent + [
                "didReceiveResponse", "didReceiveBodyBytes", "didGatherMetrics", "didValidate", "didCompleteTask",
                "didFinish", "didParseDataResponse",
            ])
    }

    @Test func anAdaptedRequestIsReportedAsItWasAndAsItIs() async throws {
        let session = session(
            Intercepting(adapt: { request, completion in
                var adapted = request
                adapted.setValue("1", forHTTPHeaderField: "X-Adapted")
                completion(.success(adapted))
            }))
        session.request(URLRequest.to(Self.url)).resume().cancel()
        #expect(Array(recorder.names.prefix(6)) == Self.adapted)
        guard case .didAdaptURLRequest(let initial, let adapted) = try #require(recorder.events.dropFirst(2).first)
        else {
            Issue.record("The third event is another one.")
            return
        }
        #expect(initial.value(forHTTPHeaderField: "X-Adapted") == nil)
        #expect(adapted.value(forHTTPHeaderField: "X-Adapted") == "1")
    }

    @Test func aFailedAdapterIsReportedOnce() {
        let session = session(Intercepting(adapt: { _, completion in completion(.failure(Refused())) }))
        session.request(URLRequest.to(Self.url)).resume()
        #expect(
            recorder.names == ["didResume", "didCreateInitialURLRequest", "didFailToAdaptURLRequest", "didFinish"])
    }

    @Test func aRequestThatCannotBeMadeIsReportedOnce() {
        let session = session()
        session.request("http://a b/").resume()
        #expect(recorder.names == ["didResume", "didFailToCreateURLRequest", "didFinish"])
    }

    @Test func aFailureBeforeTheHeadIsAnEarlyOne() {
        let session = session()
        session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].end(.reset)
        #expect(
            recorder.names == Self.sent + ["didGatherMetrics", "didFailTaskEarly", "didCompleteTask", "didFinish"])
    }

    @Test func aFailureAfterTheHeadIsNotEarly() {
        let session = session()
        session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].end(.truncated)
        #expect(
            recorder.names == Self.sent + ["didReceiveResponse", "didGatherMetrics", "didCompleteTask", "didFinish"])
        guard case .didCompleteTask(let task, let error)? = recorder.events.dropLast().last else {
            Issue.record("no didCompleteTask")
            return
        }
        #expect(task.number == 0)
        #expect(error?.transportFailure?.kind == .truncated)
    }

    @Test func aTaskCompletesWithTheErrorOfItsValidation() async {
        let session = session()
        let request = session.request(URLRequest.to(Self.url)).validate(statusCode: [200]).resume()
        transport.exchanges[0].respond(404)
        #expect(await request.outcome().error?.responseCode == 404)
        let errors: [SessionError] = recorder.events.compactMap { event in
            if case .didCompleteTask(_, let error) = event { error } else { nil }
        }
        #expect(errors.map(\.responseCode) == [404])
    }

    @Test func aRetryIsReportedBetweenItsAttempts() {
        let session = session(Intercepting.retrying(1))
        session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].end(.reset)
        transport.exchanges[1].respond()
        #expect(
            recorder.names == Self.adapted + [
                "didGatherMetrics", "didFailTaskEarly", "didCompleteTask", "isRetrying", "didCreateInitialURLRequest",
                "didAdaptURLRequest", "didCreateURLRequest", "didCreateTask", "didResumeTask", "didReceiveResponse",
                "didGatherMetrics", "didCompleteTask", "didFinish",
            ])
        let attempts = recorder.events.compactMap { event in
            if case .didCreateTask(let task) = event { task.number } else { nil }
        }
        #expect(attempts == [0, 1])
    }

    @Test func repeatedCancelIsReportedOnce() {
        let session = session()
        let request = session.request(URLRequest.to(Self.url)).resume()
        request.cancel().cancel()
        request.cancel()
        #expect(recorder.names == Self.sent + ["didCancel", "didCancelTask", "didCompleteTask", "didFinish"])
    }

    @Test func aCancelAfterOneForResumeDataIsReportedOnce() {
        let transport = SteppedTransport(endsWhenCancelled: false)
        let session = Session.over(transport, monitors: [recorder])
        let download = session.download(URLRequest.to(Self.url)).resume()
        download.cancel(producingResumeData: true)
        #expect(recorder.names == Self.sent + ["didCancel", "didCancelTask"])
        download.cancel()
        #expect(recorder.names == Self.sent + ["didCancel", "didCancelTask", "didCompleteTask", "didFinish"])
        #expect(transport.exchanges[0].cancellations == 2)
    }

    @Test func aCancelBeforeTheStartHasNoTask() {
        let session = session()
        session.request(URLRequest.to(Self.url)).cancel().resume()
        #expect(recorder.names == ["didCancel", "didFinish"])
    }

    @Test func suspendAndResumeAreReportedOnceEach() {
        let session = session()
        let request = session.request(URLRequest.to(Self.url)).resume()
        request.suspend().suspend()
        request.resume().resume()
        #expect(recorder.names == Self.sent + ["didSuspend", "didSuspendTask", "didResume", "didResumeTask"])
        request.cancel()
    }

    @Test func aRequestSuspendedBeforeItWasSentHasNoTaskUntilItResumes() {
        let session = session()
        let request = session.request(URLRequest.to(Self.url)).suspend()
        #expect(recorder.names == ["didSuspend"])
        request.resume()
        #expect(recorder.names == ["didSuspend"] + Self.sent)
        request.cancel()
    }

    @Test func anUploadReportsItsBody() {
        let session = session()
        let upload = session.upload(Data("abc".utf8), with: URLRequest.to(Self.url, method: "POST")).resume()
        transport.exchanges[0].sent(3, of: 3)
        transport.exchanges[0].respond()
        #expect(
            recorder.names == Self.begun + [
                "didCreateUploadable", "didCreateTask", "didResumeTask", "didSendBodyBytes", "didReceiveResponse",
                "didGatherMetrics", "didCompleteTask", "didFinish",
            ])
        #expect(upload.isFinished)
    }

    @Test func aStreamIsReportedBeforeItIsRead() {
        let session = session()
        let stream = InputStream(data: Data("abc".utf8))
        session.upload(stream, with: URLRequest.to(Self.url, method: "POST")).resume().cancel()
        #expect(recorder.names.contains("didProvideInputStream"))
    }

    @Test func aBodyThatCannotBeMadeIsReportedOnceAsSuch() {
        let session = session()
        let form = RequestMultipartFormData()
        form.append(URL(fileURLWithPath: "/nowhere/at.all"), withName: "file")
        let gate = DispatchSemaphore(value: 0)
        let upload = session.upload(multipartFormData: form, with: URLRequest.to(Self.url, method: "POST"))
        upload.onFinish { _ in gate.signal() }
        upload.resume()
        gate.wait()
        #expect(
            recorder.names == ["didResume", "didCreateInitialURLRequest", "didFailToCreateUploadable", "didFinish"])
    }

    @Test func aFileThatCannotBeReadIsABodyThatCannotBeMade() {
        let session = session()
        session.upload(URL(fileURLWithPath: "/nowhere/at.all"), to: Self.url).resume()
        #expect(
            recorder.names == ["didResume", "didCreateInitialURLRequest", "didFailToCreateUploadable", "didFinish"])
    }

    @Test func aDownloadReportsItsFile() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = session()
        let download = session.download(URLRequest.to(Self.url)) { _, _ in (target, []) }
        download.validate().resume()
        transport.exchanges[0].respond(200, [], "hello")
        _ = await download.answered()
        #expect(
            recorder.names == Self.sent + [
                "didReceiveResponse", "didReceiveBodyBytes", "didGatherMetrics", "didCreateDestinationURL",
                "didFinishDownloading", "didValidate", "didValidate", "didCompleteTask", "didFinish",
                "didParseDownloadResponse",
            ])
    }

    @Test func aRedirectIsOneTask() {
        let session = session()
        session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "moved")
        transport.exchanges[1].respond()
        #expect(
            recorder.names == Self.sent + [
                "willPerformRedirection", "didGatherMetrics", "didReceiveResponse", "didGatherMetrics",
                "didCompleteTask", "didFinish",
            ])
    }

    @Test func aRedirectBackIsReportedWithoutTheCredentialsThatAreNotSent() {
        let session = session()
        var first = URLRequest.to(Self.url)
        first.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
        session.request(first).resume()
        transport.exchanges[0].respond(302, [("Location", "http://b.example/")])
        transport.exchanges[1].respond(302, [("Location", Self.url)])
        let credentials = recorder.events.compactMap { event in
            if case .willPerformRedirection(_, _, let next) = event {
                next.value(forHTTPHeaderField: "Authorization") ?? "none"
            } else {
                nil
            }
        }
        #expect(credentials == ["none", "none"])
    }

    @Test func anAnswerToAChallengeIsReportedByItsScheme() {
        let session = session()
        session.request(URLRequest.to(Self.url)).authenticate(username: "u", password: "p").resume()
        transport.exchanges[0].respond(401, [("WWW-Authenticate", "Basic realm=\"r\"")])
        let schemes = recorder.events.compactMap { event in
            if case .willAnswerChallenge(let scheme) = event { scheme } else { nil }
        }
        #expect(schemes == ["Basic"])
        transport.exchanges[1].respond()
    }

    @Test func aCancelDuringAValidationCompletesTheTaskOnce() async {
        let session = session()
        let request = session.request(URLRequest.to(Self.url))
        request.validate { [unowned request] _, _, _ in
            request.cancel()
            return .success(())
        }
        request.resume()
        transport.exchanges[0].respond()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
        #expect(
            recorder.names == Self.sent + [
                "didReceiveResponse", "didGatherMetrics", "didCancel", "didCancelTask", "didCompleteTask", "didFinish",
            ])
    }

    @Test func lateRedirectHandlerIsNotReported() {
        let answer = Lock<(@Sendable (URLRequest?) -> Void)?>(nil)
        let handler = HeldRedirectHandler { _, completion in answer.withLock { $0 = completion } }
        let session = session()
        let request = session.request(URLRequest.to(Self.url)).redirect(using: handler).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        request.cancel()
        let before = recorder.names
        answer.withLock { $0 }?(.to("http://a.example/next"))
        #expect(recorder.names == before)
        #expect(transport.exchanges.count == 1)
    }

    // MARK: Where monitors run

    @Test func aMonitorIsCalledOnItsOwnQueue() async {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "org.moya.tests.monitor")
        queue.setSpecific(key: key, value: "its own")
        let heard = Recorded<String?>()
        let monitor = ClosureEventMonitor(queue: queue)
        monitor.requestDidFinish = { _ in heard.add(DispatchQueue.getSpecific(key: key)) }
        let session = Session.over(transport, monitors: [monitor])
        session.request(URLRequest.to(Self.url)).cancel()
        queue.sync {}
        #expect(heard.all == ["its own"])
    }

    @Test func compositeNotifiesEachMonitorOnceOnItsQueue() {
        let other = EventRecorder()
        let composite = CompositeEventMonitor(monitors: [recorder, CompositeEventMonitor(monitors: [other])])
        let session = Session.over(transport, monitors: [composite])
        session.request(URLRequest.to(Self.url)).cancel()
        #expect(recorder.names == ["didCancel", "didFinish"])
        #expect(other.names == ["didCancel", "didFinish"])
    }

    @Test func theMonitorsOfASessionAreThoseItWasGiven() {
        let session = session()
        #expect(session.eventMonitor.monitors.count == 1)
        #expect(session.eventMonitor.monitors.first as? EventRecorder === recorder)
    }
}

/// Hands a redirect to a closure, and answers nothing by itself.
struct HeldRedirectHandler: RedirectHandler {
    let perform: @Sendable (URLRequest, @escaping @Sendable (URLRequest?) -> Void) -> Void

    func task(
        _ task: Request, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        perform(request, completion)
    }
}
