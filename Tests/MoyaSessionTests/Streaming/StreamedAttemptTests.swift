import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The attempts of a streamed request, until a response is accepted.
@Suite(.timeLimit(.minutes(1))) struct StreamedAttemptTests {
    private let transport = SteppedTransport()
    private let queue = DispatchQueue(label: "org.moya.tests.stream")

    private func request(_ session: Session) -> DataRequest { session.request(URLRequest.to("http://a.example/")) }

    @Test func aRedirectBeginsTheLimitOfTheAttemptAnew() throws {
        let session = Session.over(transport, timeouts: Deadlines(attempt: .seconds(60)))
        let request = request(session)
        _ = request.streamResponse()
        request.resume()
        let first = try #require(request.deadline)
        transport.exchanges[0].respond(302, [("Location", "/next")])
        #expect(transport.exchanges.count == 2)
        #expect(try #require(request.deadline) > first)
        request.cancel()
    }

    // MARK: Validation

    @Test func aRefusedHeadIsValidatedOnce() async {
        let session = Session.over(transport)
        let calls = Recorded<Int>()
        let request = request(session).validate { _, response, _ in
            calls.add(response.statusCode)
            return .failure(URLError(.badServerResponse))
        }
        _ = request.streamResponse()
        request.resume()
        transport.exchanges[0].head(200)
        session.rootQueue.sync {}
        transport.exchanges[0].end()
        #expect(await request.outcome().error?.isResponseValidationError == true)
        #expect(calls.all == [200])
    }

    @Test(arguments: [0, 1]) func onlyARefusedBodyOfMoreThanAMebibyteIsCut(excess: Int) {
        let session = Session.over(transport)
        let request = request(session).validate()
        _ = request.streamResponse()
        request.resume()
        transport.exchanges[0].head(500)
        transport.exchanges[0].chunk(Data(repeating: 0, count: (1 << 20) + excess))
        #expect(transport.exchanges[0].cancellations == excess)
        transport.exchanges[0].end()
    }

    @Test func aHeadThatArrivesAtOnceWaitsForItsValidation() {
        let transport = HeadFirstTransport()
        let session = Session.over(transport)
        let held = DispatchSemaphore(value: 0)
        session.rootQueue.async { held.wait() }
        let request = request(session).validate { _, _, _ in .success(()) }
        let stream = request.streamResponse()
        request.resume()
        #expect(transport.resumptions.value == 0)
        held.signal()
        session.rootQueue.sync {}
        #expect(transport.resumptions.value == 1)
        #expect(stream.isOpen)
        request.cancel()
    }

    @Test func aResponseWhoseAttemptIsOverIsNotOpened() {
        let transport = SteppedTransport(deliversWhereCodeMayBlock: false)
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let (validates, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let request = request(session).validate { _, _, _ in
            validates.signal()
            goesOn.wait()
            return .success(())
        }
        let stream = request.streamResponse()
        request.resume()
        transport.exchanges[0].head(200)
        validates.wait()
        transport.exchanges[0].end(.reset)
        goesOn.signal()
        session.rootQueue.sync {}
        #expect(!stream.isOpen)
        #expect(transport.exchanges.count == 2)
        goesOn.signal()
        transport.exchanges[1].head(200)
        session.rootQueue.sync {}
        #expect(stream.isOpen)
        request.cancel()
    }

    // MARK: Response handlers

    @Test func theResponseOfAStreamIsReported() {
        let session = Session.over(transport)
        let codes = Recorded<Int>()
        let request = request(session).onHTTPResponse(on: queue) { codes.add($0.statusCode) }
        let stream = request.streamResponse()
        request.resume()
        #expect(transport.exchanges[0].head(200) == .more)
        queue.sync {}
        #expect(codes.all == [200])
        #expect(stream.isOpen)
        request.cancel()
    }

    @Test func aRefusedResponseIsNotStreamed() {
        let session = Session.over(transport)
        let request = request(session).onHTTPResponse(on: queue) { _, answer in answer(.cancel) }
        let stream = request.streamResponse()
        request.resume()
        #expect(transport.exchanges[0].head(200) == .wait)
        queue.sync {}
        #expect(!stream.isOpen)
        #expect(request.error?.isExplicitlyCancelledError == true)
    }

    @Test func anAllowedResponseIsValidatedBeforeItIsStreamed() {
        let session = Session.over(transport)
        let codes = Recorded<Int>()
        let request = request(session).onHTTPResponse(on: queue) { _, answer in
            codes.add(0)
            answer(.allow)
        }.validate { _, response, _ in
            codes.add(response.statusCode)
            return .success(())
        }
        let stream = request.streamResponse()
        request.resume()
        let resumptions = transport.exchanges[0].resumptions
        transport.exchanges[0].head(200)
        queue.sync {}
        session.rootQueue.sync {}
        #expect(codes.all == [0, 200])
        #expect(stream.isOpen)
        #expect(transport.exchanges[0].resumptions == resumptions + 1)
        request.cancel()
    }

    // MARK: Time limits

    @Test func aLateHeadEndsItsAttemptOnly() async {
        let session = Session.over(
            transport, interceptor: Intercepting.retrying(1), timeouts: Deadlines(attempt: .milliseconds(30)))
        let request = request(session)
        request.streamResponse()
        let outcome = await request.outcome()
        #expect(transport.exchanges.count == 2)
        #expect(outcome.error?.transportFailure?.kind == .timeout(.total))
    }

    @Test func aLateHeadOfAResponseThatIsWholeEndsItsAttempt() async {
        let transport = LastMomentTransport()
        let session = Session.over(
            transport, interceptor: Intercepting.retrying(1), timeouts: Deadlines(attempt: .milliseconds(30)))
        let request = request(session)
        request.streamResponse()
        let outcome = await request.outcome()
        #expect(transport.count.value == 2)
        #expect(outcome.error?.transportFailure?.kind == .timeout(.total))
    }

    @Test func anAttemptsLimitDoesNotShortenTheNext() async {
        let retrier = Intercepting(retry: { request, _, completion in
            completion(request.retryCount < 1 ? .retryWithDelay(0.06) : .doNotRetry)
        })
        let session = Session.over(
            transport, interceptor: retrier, timeouts: Deadlines(attempt: .milliseconds(30)))
        let request = request(session)
        request.streamResponse()
        request.resume()
        transport.exchanges[0].end(.reset)
        _ = await request.outcome()
        #expect(transport.exchanges.count == 2)
    }

    @Test func theTotalLimitEndsTheRequest() async {
        let session = Session.over(
            transport, interceptor: Intercepting.retrying(5), timeouts: Deadlines(total: .milliseconds(30)))
        let request = request(session)
        request.streamResponse()
        let outcome = await request.outcome()
        // The limit may pass before the exchange begins.
        #expect(transport.exchanges.count <= 1)
        #expect(outcome.error?.transportFailure?.kind == .timeout(.total))
    }
}

/// Delivers the head before it returns the handle of an exchange, as a cache does.
private final class HeadFirstTransport: Transport {
    let resumptions = Lock(0)
    var deliversWhereCodeMayBlock: Bool { false }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        _ = sink.receive(.head(TransportResponseHead(status: 200)))
        return Handle(transport: self)
    }

    private final class Handle: TransportExchange {
        private let transport: HeadFirstTransport

        init(transport: HeadFirstTransport) { self.transport = transport }

        func cancel() {}
        func pause() {}
        func resume() { transport.resumptions.add(1) }
    }
}

/// Delivers a whole response when an exchange is cancelled.
private final class LastMomentTransport: Transport {
    let count = Lock(0)
    var deliversWhereCodeMayBlock: Bool { true }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        count.add(1)
        return Handle(sink)
    }

    private final class Handle: TransportExchange {
        private let sink: Lock<(any TransportSink)?>

        init(_ sink: any TransportSink) { self.sink = Lock(sink) }

        func cancel() {
            guard let sink = sink.exchange(nil) else { return }
            _ = sink.receive(.head(TransportResponseHead(status: 200)))
            _ = Data("late".utf8).withUnsafeBytes { sink.receive(.chunk($0)) }
            _ = sink.receive(.end(TransportEnd()))
        }

        func pause() {}
        func resume() {}
    }
}
