import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ResponseHandlerTests {
    private let transport = SteppedTransport()
    private let queue = DispatchQueue(label: "org.moya.tests.response")
    private typealias Answer = @Sendable (DataRequest.ResponseDisposition) -> Void

    private func request(_ session: Session) -> DataRequest { session.request(URLRequest.to("http://a.example/")) }

    @Test func responseIsReportedBeforeItsBody() {
        let session = Session.over(transport)
        let codes = Recorded<Int>()
        let request = request(session).onHTTPResponse(on: queue) { codes.add($0.statusCode) }.resume()
        #expect(transport.exchanges[0].head(201) == .more)
        queue.sync {}
        #expect(codes.all == [201])
        transport.exchanges[0].end()
        #expect(request.isFinished)
    }

    @Test func theTransportWaitsForADecision() {
        let session = Session.over(transport)
        let answers = Recorded<Answer>()
        let request = request(session).onHTTPResponse(on: queue) { _, answer in answers.add(answer) }.resume()
        #expect(transport.exchanges[0].head(200) == .wait)
        queue.sync {}
        answers.all[0](.allow)
        answers.all[0](.cancel)
        #expect(transport.exchanges[0].resumptions == 1)
        #expect(!request.isCancelled)
        transport.exchanges[0].end()
        #expect(request.isFinished)
    }

    @Test func cancelStopsTheBody() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "5"])
            try await gate.wait()
            try await exchange.send("hello")
        }
        let session = Session.onTheWire()
        let outcome = await session.request(server.url)
            .onHTTPResponse(on: queue) { _, answer in answer(.cancel) }.outcome()
        #expect(outcome.error?.isExplicitlyCancelledError == true)
        #expect(outcome.head?.status == 200)
        #expect(outcome.data == nil)
        gate.open()
    }

    @Test func anAllowOnTheTransportsThreadDeliversTheBody() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: String(repeating: "x", count: 300_000)) }
        let session = Session.onTheWire()
        let outcome = await session.request(server.url)
            .onHTTPResponse(on: queue) { _, answer in DispatchQueue.global().async { answer(.allow) } }.outcome()
        #expect(outcome.data?.count == 300_000)
    }

    @Test func aRequestSuspendedMeanwhileWaitsForDecisionAndResume() {
        let session = Session.over(transport)
        let answers = Recorded<Answer>()
        let request = request(session).onHTTPResponse(on: queue) { _, answer in answers.add(answer) }.resume()
        transport.exchanges[0].head(200)
        queue.sync {}
        request.suspend()
        answers.all[0](.allow)
        #expect(transport.exchanges[0].resumptions == 0)
        request.resume()
        #expect(transport.exchanges[0].resumptions == 1)
        request.cancel()
    }

    @Test func aResumeDoesNotReplaceTheHandlersDecision() {
        let session = Session.over(transport)
        let answers = Recorded<Answer>()
        let request = request(session).onHTTPResponse(on: queue) { _, answer in answers.add(answer) }.resume()
        transport.exchanges[0].head(200)
        queue.sync {}
        request.suspend().resume()
        #expect(transport.exchanges[0].resumptions == 0)
        answers.all[0](.allow)
        #expect(transport.exchanges[0].resumptions == 1)
        request.cancel()
    }

    @Test func anAnswerAfterACancelChangesNothing() {
        let session = Session.over(transport)
        let answers = Recorded<Answer>()
        let request = request(session).onHTTPResponse(on: queue) { _, answer in answers.add(answer) }.resume()
        transport.exchanges[0].head(200)
        queue.sync {}
        request.cancel()
        answers.all[0](.allow)
        #expect(transport.exchanges[0].resumptions == 0)
        #expect(request.error?.isExplicitlyCancelledError == true)
    }

    @Test func theLastHandlerCounts() {
        let session = Session.over(transport)
        let heard = Recorded<Int>()
        request(session)
            .onHTTPResponse(on: queue) { _, _ in heard.add(1) }
            .onHTTPResponse(on: queue) { _ in heard.add(2) }
            .resume()
        #expect(transport.exchanges[0].head(200) == .more)
        queue.sync {}
        #expect(heard.all == [2])
        transport.exchanges[0].end()
    }

    @Test func onlyTheDeliveredResponseIsReported() {
        let session = Session.over(transport)
        let codes = Recorded<Int>()
        request(session).onHTTPResponse(on: queue) { codes.add($0.statusCode) }.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        transport.exchanges[1].respond(200)
        queue.sync {}
        #expect(codes.all == [200])
    }

    @Test func everyAttemptsResponseIsReported() {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let codes = Recorded<Int>()
        request(session).validate(statusCode: [200]).onHTTPResponse(on: queue) { codes.add($0.statusCode) }.resume()
        transport.exchanges[0].respond(503)
        transport.exchanges[1].respond(200)
        queue.sync {}
        #expect(codes.all == [503, 200])
    }

    @Test func unfollowedRedirectIsReported() {
        let session = Session.over(transport)
        let codes = Recorded<Int>()
        request(session).redirect(using: .doNotFollow).onHTTPResponse(on: queue) { codes.add($0.statusCode) }.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        queue.sync {}
        #expect(codes.all == [302])
    }

    @Test func aRedirectThatIsNotFollowedWaitsForADecisionToo() {
        let session = Session.over(transport)
        let answers = Recorded<Answer>()
        let request = request(session).redirect(using: .doNotFollow)
            .onHTTPResponse(on: queue) { _, answer in answers.add(answer) }.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "elsewhere")
        queue.sync {}
        #expect(request.isResumed && request.data == nil)
        answers.all[0](.allow)
        answers.all[0](.cancel)
        #expect(request.isFinished && request.error == nil)
        #expect(request.data == Data("elsewhere".utf8))
    }

    @Test func aRedirectThatIsNotFollowedMayBeRefused() {
        let session = Session.over(transport)
        let request = request(session).redirect(using: .doNotFollow)
            .onHTTPResponse(on: queue) { _, answer in answer(.cancel) }.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "elsewhere")
        queue.sync {}
        #expect(request.isCancelled && request.error?.isExplicitlyCancelledError == true)
    }

    /// The end comes on another thread than the answer.
    @Test func aRefusalCountsWhileTheResponseEnds() {
        for round in 0..<500 {
            let session = Session.over(transport)
            let request = request(session).onHTTPResponse(on: queue) { _, answer in answer(.cancel) }.resume()
            transport.exchanges[round].respond(200, [], "body")
            queue.sync {}
            #expect(request.isCancelled && request.error?.isExplicitlyCancelledError == true)
        }
    }

    @Test func anAnswerAboutAnEarlierAttemptChangesNothing() {
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let answers = Recorded<Answer>()
        let request = request(session).onHTTPResponse(on: queue) { _, answer in answers.add(answer) }.resume()
        transport.exchanges[0].head(200)
        queue.sync {}
        transport.exchanges[0].end(.reset)
        transport.exchanges[1].head(200)
        queue.sync {}
        answers.all[0](.allow)
        #expect(transport.exchanges[1].resumptions == 0)
        answers.all[1](.cancel)
        #expect(request.isCancelled && request.error?.isExplicitlyCancelledError == true)
    }

    @Test func aDownloadThatWaitsForADecisionEndsWhenCancelledForItsResumeData() {
        let session = Session.over(transport)
        let answers = Recorded<Answer>()
        let data = Recorded<Data?>()
        let download = session.download(URLRequest.to("http://a.example/")).redirect(using: .doNotFollow)
            .onHTTPResponse(on: queue) { _, answer in answers.add(answer) }.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "elsewhere")
        queue.sync {}
        download.cancel { data.add($0) }
        #expect(data.count == 1)
        #expect(download.isCancelled && download.error?.isExplicitlyCancelledError == true)
    }

    /// The exchange ends by itself although it was cancelled.
    @Test func aDownloadCancelledForItsResumeDataBeforeAnEmptyBodyEnds() {
        let transport = SteppedTransport(endsWhenCancelled: false)
        let session = Session.over(transport)
        let data = Recorded<Data?>()
        let download = session.download(URLRequest.to("http://a.example/"))
            .onHTTPResponse(on: queue) { _, _ in }.resume()
        transport.exchanges[0].head(200, [("Content-Length", "0")])
        queue.sync {}
        download.cancel { data.add($0) }
        transport.exchanges[0].end()
        #expect(data.count == 1)
        #expect(download.error?.isExplicitlyCancelledError == true)
    }

    @Test func aStreamedRedirectThatIsNotFollowedHasItsBody() async throws {
        let session = Session.over(transport)
        let answers = Recorded<Answer>()
        let request = session.request(URLRequest.to("http://a.example/")).redirect(using: .doNotFollow)
            .validate { _, _, _ in .success(()) }
            .onHTTPResponse(on: queue) { _, answer in answers.add(answer) }
        let stream = request.streamResponse()
        request.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "elsewhere")
        queue.sync {}
        answers.all[0](.allow)
        session.rootQueue.sync {}
        #expect(request.isFinished && request.error == nil)
        #expect(stream.isOpen)
        #expect(request.data == nil)
    }

    @Test func anAnswerAboutARedirectThatComesAfterACancelChangesNothing() {
        let session = Session.over(transport)
        let answers = Recorded<Answer>()
        let request = request(session).redirect(using: .doNotFollow)
            .onHTTPResponse(on: queue) { _, answer in answers.add(answer) }.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        queue.sync {}
        request.cancel()
        answers.all[0](.allow)
        #expect(request.isCancelled && request.error?.isExplicitlyCancelledError == true)
    }

    // MARK: Asynchronous closures

    @Test func theTransportWaitsForAnAsynchronousDecision() async {
        let session = Session.over(transport)
        let gate = Gate()
        let request = request(session).onHTTPResponse { _ in
            try? await gate.wait()
            return .allow
        }.resume()
        #expect(transport.exchanges[0].head(200) == .wait)
        transport.exchanges[0].end()
        #expect(request.isResumed)
        gate.open()
        #expect(await request.outcome().error == nil)
    }

    @Test func anAsynchronousClosureMayCancel() async {
        let session = Session.over(transport)
        let request = request(session).onHTTPResponse { $0.statusCode == 200 ? .allow : .cancel }.resume()
        transport.exchanges[0].respond(404, [], "body")
        let outcome = await request.outcome()
        #expect(outcome.error?.isExplicitlyCancelledError == true)
        #expect(outcome.data == nil)
    }

    private func decision(about response: HTTPURLResponse) async -> Request.ResponseDisposition { .cancel }

    @Test func aDecisionIsNotDiscarded() async {
        let session = Session.over(transport)
        let request = request(session).onHTTPResponse { await decision(about: $0) }.resume()
        transport.exchanges[0].respond()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
    }

    @Test func theTransportWaitsForAnAsynchronousClosure() async {
        let session = Session.over(transport)
        let gate = Gate()
        let codes = Recorded<Int>()
        let request = request(session).onHTTPResponse { response in
            try? await gate.wait()
            codes.add(response.statusCode)
        }.resume()
        #expect(transport.exchanges[0].head(201) == .wait)
        transport.exchanges[0].end()
        #expect(request.isResumed)
        gate.open()
        #expect(await request.outcome().error == nil)
        #expect(codes.all == [201])
    }

    @Test func aClosureThatAwaitsNothingIsNotWaitedFor() async {
        let session = Session.over(transport)
        request(session).onHTTPResponse { _ in }.resume()
        #expect(transport.exchanges[0].head(200) == .more)
        transport.exchanges[0].end()
    }

    @Test func everyKindOfRequestWaitsForAnAsynchronousClosure() async {
        let session = Session.over(transport)
        let url = URLRequest.to("http://a.example/")
        let requests = [
            session.request(url), session.streamRequest(url), session.download(url), session.upload(Data(), with: url),
        ]
        for (number, request) in requests.enumerated() {
            request.onHTTPResponse { _ in await Task.yield() }.resume()
            #expect(transport.exchanges[number].head(204) == .wait)
            transport.exchanges[number].end()
            #expect(await request.outcome().error == nil)
        }
    }
}
