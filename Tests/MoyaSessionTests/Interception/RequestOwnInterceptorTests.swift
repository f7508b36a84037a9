import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Interceptors chained to one request.
@Suite struct RequestOwnInterceptorTests {
    private static let url = "http://a.example/"

    private static func marking(_ mark: String) -> Intercepting {
        Intercepting(adapt: { request, completion in
            var request = request
            request.setValue(mark, forHTTPHeaderField: mark)
            completion(.success(request))
        })
    }

    @Test func chainedAdapterChangesTheRequest() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, interceptor: Self.marking("session"))
        _ = await session.request(URLRequest.to(Self.url)).adapt(using: Self.marking("own")).outcome()
        #expect(transport.requests[0].fields.contains("session"))
        #expect(transport.requests[0].fields.contains("own"))
    }

    @Test func chainedAdapterAffectsItsRequestOnly() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        _ = await session.request(URLRequest.to(Self.url)).adapt(using: Self.marking("own")).outcome()
        _ = await session.request(URLRequest.to(Self.url)).outcome()
        #expect(!transport.requests[1].fields.contains("own"))
    }

    @Test func chainedRetrierRetries() async {
        let session = Session.over(StubbedTransport(.response(503), .response(200)))
        let request = session.request(URLRequest.to(Self.url)).validate().retry(
            using: Intercepting(retry: { _, _, completion in completion(.retry) }))
        #expect(await request.outcome().error == nil)
        #expect(request.retryCount == 1)
    }

    @Test func chainedInterceptorDoesBoth() async {
        let transport = StubbedTransport(.response(503), .response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url)).validate().interceptor(
            Intercepting(
                adapt: { request, completion in
                    var request = request
                    request.setValue("1", forHTTPHeaderField: "own")
                    completion(.success(request))
                }, retry: { _, _, completion in completion(.retry) }))
        #expect(await request.outcome().error == nil)
        #expect(transport.requests.allSatisfy { $0.fields.contains("own") })
    }

    @Test func adapterAddedAfterTheStartIsIgnored() async {
        let transport = SteppedTransport()
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url)).validate().resume()
        request.retry(using: Intercepting(retry: { _, _, completion in completion(.retry) }))
        transport.exchanges[0].respond(503, [], "")
        #expect(await request.outcome().error?.responseCode == 503)
    }

    @Test func chainedMonitorObservesOnlyItsRequest() async {
        let session = Session.over(StubbedTransport(.response(200)))
        let recorder = EventRecorder()
        _ = await session.request(URLRequest.to(Self.url)).outcome()
        #expect(recorder.names.isEmpty)
        _ = await session.request(URLRequest.to(Self.url)).eventMonitor(recorder).outcome()
        #expect(recorder.names.first == "didResume")
        #expect(recorder.names.last == "didFinish")
        #expect(recorder.names.contains("didReceiveResponse"))
    }

    @Test func chainedMonitorComesAfterTheSessions() async {
        let (sessions, own) = (EventRecorder(), EventRecorder())
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false, eventMonitors: [sessions],
            transport: StubbedTransport(.response(200)))
        _ = await session.request(URLRequest.to(Self.url)).eventMonitor(own).outcome()
        #expect(!own.names.isEmpty && own.names == sessions.names)
    }

    #if os(Linux) || os(macOS)
    @Test func monitorMayBeAddedWhileAnotherThreadUsesTheRequest() async {
        await #expect(processExitsWith: .success) {
            let session = Session.over(StubbedTransport(.silence))
            for _ in 0..<300 {
                let request = session.request(URLRequest.to("http://a.example/"))
                DispatchQueue.concurrentPerform(iterations: 2) { worker in
                    for _ in 0..<100 {
                        if worker == 0 { request.eventMonitor(ClosureEventMonitor()) } else { request.suspend() }
                    }
                }
            }
        }
    }
    #endif
}
