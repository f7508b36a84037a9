import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestTests {
    @Test func sendsOnlyAfterResume() {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/"))
        #expect(request.state == .initialized)
        #expect(transport.requests.isEmpty)
    }

    @Test func theBodyIsCollected() async {
        let session = Session.over(StubbedTransport(.response(200, [], "hello")))
        let outcome = await session.request(URLRequest.to("http://a.example/")).outcome()
        #expect(outcome.data == Data("hello".utf8))
        #expect(outcome.error == nil)
    }

    @Test func aBodyWithoutBytesIsNil() async {
        let session = Session.over(StubbedTransport(.response(204)))
        #expect(await session.request(URLRequest.to("http://a.example/")).outcome().data == nil)
    }

    @Test func aHandlerAddedAfterTheEndIsCalled() async {
        let session = Session.over(StubbedTransport(.response(200)))
        let request = session.request(URLRequest.to("http://a.example/"))
        _ = await request.outcome()
        #expect(await request.outcome().head?.status == 200)
    }

    @Test func cancelEndsTheExchangeAndTheRequest() async {
        let transport = StubbedTransport(.silence)
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/")).resume()
        request.cancel()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
        #expect(transport.cancellations == 1)
        #expect(request.state == .cancelled)
    }

    @Test func aCancelledErrorIsURLErrorCancelledAsAnNSError() async {
        let session = Session.over(StubbedTransport(.silence))
        let request = session.request(URLRequest.to("http://a.example/")).cancel()
        let error = await request.outcome().error.map { $0 as NSError }
        #expect(error?.domain == NSURLErrorDomain)
        #expect(error?.code == NSURLErrorCancelled)
    }

    @Test func suspendPausesAndResumeContinues() {
        let transport = StubbedTransport(.silence)
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/")).resume().suspend()
        #expect(transport.pauses == 1)
        request.resume()
        #expect(transport.resumptions == 1)
        request.cancel()
    }

    @Test func aSuspensionDoesNotOutliveAResumptionAtTheSameTime() {
        let transport = SteppedTransport()
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/")).resume()
        transport.exchanges[0].onPause.set { request.resume() }
        request.suspend()
        #expect(request.isResumed && !transport.exchanges[0].isPaused)
        request.cancel()
    }

    @Test func aResumptionDoesNotOutliveASuspensionAtTheSameTime() {
        let transport = SteppedTransport()
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://a.example/")).resume().suspend()
        transport.exchanges[0].onResume.set { request.suspend() }
        request.resume()
        #expect(request.isSuspended && transport.exchanges[0].isPaused)
        request.cancel()
    }

    @Test func aRequestReleasedByItsCallerContinues() async {
        let transport = StubbedTransport(.silence)
        let session = Session.over(transport)
        session.request(URLRequest.to("http://a.example/")).resume()
        var active: Set<Request> = []
        session.withAllRequests { active = $0 }
        #expect(active.count == 1)
        session.cancelAllRequests()
        session.withAllRequests { active = $0 }
        #expect(active.isEmpty)
    }

    @Test func releasingTheSessionEndsItsRequests() async {
        var session: Session? = Session.over(StubbedTransport(.silence))
        let request = session?.request(URLRequest.to("http://a.example/")).resume()
        session = nil
        guard case .sessionDeinitialized = await request?.outcome().error else {
            Issue.record("\(String(describing: request?.error))")
            return
        }
    }

    @Test func aFailureOfTheTransportIsAURLErrorWithTheCause() async {
        let session = Session.over(StubbedTransport(.failure(.timeout(.idle))))
        let error = await session.request(URLRequest.to("http://a.example/")).outcome().error
        #expect((error?.underlyingError as? URLError)?.code == .timedOut)
        #expect(error?.transportFailure?.kind == .timeout(.idle))
    }

    @Test func metricsAndIdentityAreMadeOnDemand() {
        let session = Session.over(StubbedTransport(.silence))
        let request = session.request(URLRequest.to("http://a.example/"))
        #expect(request.id == request.id)
    }

    @Test func sessionFieldsAreSentUnlessTheRequestHasItsOwn() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, headers: ["A": "session", "B": "session"])
        var urlRequest = URLRequest.to("http://a.example/")
        urlRequest.setValue("request", forHTTPHeaderField: "a")
        _ = await session.request(urlRequest).outcome()
        let fields = transport.requests[0].fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        #expect(fields == ["a: request", "b: session"])
    }

    @Test func aFragmentAndUserInformationAreNotSent() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        _ = await session.request(URLRequest.to("http://u:p@a.example/x?y=%40#f")).outcome()
        #expect(transport.requests[0].url == "http://a.example/x?y=%40")
    }

    @Test func theTransportSetsTheLength() async {
        let transport = StubbedTransport(.response(200))
        var urlRequest = URLRequest.to("http://a.example/", method: "POST", body: "abc")
        urlRequest.setValue("7", forHTTPHeaderField: "content-length")
        let session = Session.over(transport)
        _ = await session.request(urlRequest).outcome()
        #expect(!transport.requests[0].fields.contains { $0.name.lowercased() == "content-length" })
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://a.example/", "ftp://a.example/"])
    func aSchemeThatIsNotHTTPIsRefusedByName(url: String) async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let error = await session.request(URLRequest.to(url)).outcome().error
        guard case .urlRequestValidationFailed(.unsupportedScheme(let scheme)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(url.hasPrefix(scheme))
        #expect(transport.requests.isEmpty)
    }

    @Test func aSessionFieldWithALineBreakIsRefusedByName() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, headers: ["X-Name": "a\r\nX-Injected: b"])
        let error = await session.request(URLRequest.to("http://a.example/")).outcome().error
        guard case .urlRequestValidationFailed(.invalidHeaderField("X-Name")) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(transport.requests.isEmpty)
    }
}
