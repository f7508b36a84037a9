import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// States, and cancellation in each of them.
extension RequestLifeTests {
    @Test func aCancelledRequestStaysCancelled() {
        let (session, request) = begun()
        request.cancel()
        request.resume().suspend()
        #expect(request.isCancelled)
        #expect(transport.exchanges[0].cancellations == 1)
        _ = session
    }

    @Test func aFinishedRequestStaysFinished() {
        let (session, request) = begun()
        transport.exchanges[0].respond()
        request.resume().suspend()
        request.cancel()
        #expect(request.isFinished && request.error == nil)
        _ = session
    }

    @Test func statesAreDistinct() {
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        #expect(request.isInitialized)
        request.resume()
        #expect(request.isResumed && !request.isInitialized)
        request.suspend()
        #expect(request.isSuspended && !request.isResumed)
        request.cancel()
        #expect(request.isCancelled && !request.isSuspended && !request.isFinished)
    }

    @Test func aRequestSuspendedWhileItIsPreparedIsSentWhenItResumes() {
        let held = Recorded<@Sendable (Result<URLRequest, any Error>) -> Void>()
        let session = Session.over(
            transport, interceptor: Intercepting(adapt: { _, completion in held.add(completion) }))
        let request = session.request(URLRequest.to(Self.url)).resume().suspend()
        held.all[0](.success(.to(Self.url)))
        #expect(transport.exchanges.isEmpty)
        request.resume()
        #expect(transport.exchanges.count == 1)
        request.cancel()
    }

    @Test func aCancelWhileTheRequestIsAdaptedSendsNothing() async {
        let held = Recorded<@Sendable (Result<URLRequest, any Error>) -> Void>()
        let session = Session.over(
            transport, interceptor: Intercepting(adapt: { _, completion in held.add(completion) }))
        let request = session.request(URLRequest.to(Self.url)).resume().cancel()
        held.all[0](.success(.to(Self.url)))
        #expect(transport.exchanges.isEmpty)
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
    }

    @Test func anAdapterThatFailsAfterACancelIsNotReported() async {
        let held = Recorded<@Sendable (Result<URLRequest, any Error>) -> Void>()
        let monitor = EventRecorder()
        let session = Session.over(
            transport, interceptor: Intercepting(adapt: { _, completion in held.add(completion) }), monitors: [monitor])
        session.request(URLRequest.to(Self.url)).resume().cancel()
        held.all[0](.failure(URLError(.cancelled)))
        #expect(monitor.names.last == "didFinish")
    }

    @Test func aFormIsNotEncodedAfterACancel() {
        let queue = DispatchQueue(label: "org.moya.tests.requests")
        let monitor = EventRecorder()
        let session = Session.over(transport, requestQueue: queue, monitors: [monitor])
        let form = RequestMultipartFormData()
        form.append(Data("abc".utf8), withName: "n")
        queue.suspend()
        session.upload(multipartFormData: form, to: Self.url).resume().cancel()
        queue.resume()
        queue.sync {}
        session.rootQueue.sync {}
        #expect(monitor.names.last == "didFinish")
    }

    @Test func aCancelWhileARetrierThinksIsFinal() async {
        let held = Recorded<@Sendable (RetryResult) -> Void>()
        let session = Session.over(
            transport, interceptor: Intercepting(retry: { _, _, completion in held.add(completion) }))
        let request = session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].end(.reset)
        request.cancel()
        held.all[0](.retry)
        #expect(transport.exchanges.count == 1)
        #expect(request.isCancelled && request.retryCount == 0)
        // The first error is reported.
        #expect(await request.outcome().error != nil)
    }

    @Test func aCancelInAValidationIsTheEnd() async {
        let (session, request) = begun()
        request.validate { [unowned request] _, _, _ in
            request.cancel()
            return .success(())
        }
        transport.exchanges[0].respond()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
        #expect(request.error?.isExplicitlyCancelledError == true)
        #expect(request.isCancelled)
        _ = session
    }

    @Test func aCancelInAValidationThatFailsIsTheEnd() async {
        let (session, request) = begun()
        request.validate { [unowned request] _, _, _ in
            request.cancel()
            return .failure(Refused())
        }
        transport.exchanges[0].respond()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
        #expect(request.error?.isExplicitlyCancelledError == true)
        _ = session
    }
}
