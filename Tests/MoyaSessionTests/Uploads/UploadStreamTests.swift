import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct UploadStreamTests {
    private static let url = "http://a.example/"

    private func echo() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond(body: "ok")
        }
    }

    // MARK: What is sent

    @Test func aSequenceIsSentInChunks() async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        let upload = session.upload(UploadStream(CountedElements("hel", "lo")), to: server.url)
        #expect(await upload.outcome().error == nil)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.body == Data("hello".utf8))
        #expect(request.fields["Transfer-Encoding"] == "chunked" && request.fields["Content-Length"] == nil)
    }

    @Test func aSequenceOfStatedLengthIsSentWithIt() async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        let upload = session.upload(UploadStream(CountedElements("hel", "lo"), length: 5), to: server.url)
        #expect(await upload.outcome().error == nil)
        let request = try #require(server.requests.first)
        #expect(request.body == Data("hello".utf8))
        #expect(request.fields.values(for: "Content-Length") == ["5"])
        #expect(request.fields["Transfer-Encoding"] == nil)
    }

    @Test func aLengthThatAFieldStatesCounts() async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        let stream = UploadStream(CountedElements("hello"))
        let upload = session.upload(stream, to: server.url, headers: ["Content-Length": "5"])
        #expect(await upload.outcome().error == nil)
        #expect(server.requests.first?.fields.values(for: "Content-Length") == ["5"])
    }

    #if os(Linux)
    @Test(arguments: ["POST", "PUT"]) func aBodyWithoutATypeIsSentWithoutOne(method: String) async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        var request = URLRequest.to(server.url.absoluteString)
        request.httpMethod = method
        request.httpBody = Data("a=1".utf8)
        #expect(await session.request(request).outcome().error == nil)
        #expect(await session.upload(Data("a=1".utf8), to: server.url).outcome().error == nil)
        #expect(server.requests.map(\.body) == [Data("a=1".utf8), Data("a=1".utf8)])
        #expect(server.requests.allSatisfy { $0.fields["Content-Type"] == nil })
    }
    #endif

    @Test func valuesAreSentAsJSONLines() async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        let values = AsyncStream { continuation in
            for number in 1...3 { continuation.yield(number) }
            continuation.finish()
        }
        #expect(await session.upload(.jsonLines(values), to: server.url).outcome().error == nil)
        let request = try #require(server.requests.first)
        #expect(request.body == Data("1\n2\n3\n".utf8))
        #expect(request.fields["Content-Type"] == "application/jsonl")
    }

    #if os(Linux)
    @Test func aServerThatDoesNotReadPausesTheSequence() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
            try await gate.wait()
            try await exchange.respond(body: "\(try await exchange.discardBody())")
        }
        let asked = Watched(0)
        let piece = Data(count: 64 * 1024)
        let stream = UploadStream(making: {
            AsyncStream(unfolding: {
                asked.update {
                    $0 += 1; return $0
                } <= 512 ? piece : nil
            })
        })
        let session = Session.onTheWire()
        let upload = session.upload(stream, to: server.url)
        async let outcome = upload.outcome()
        try await gate.waitForArrivals(1)
        try await settle(asked)
        // 32 MiB in all; the kernel's buffers take some.
        #expect(asked.value < 256)
        gate.open()
        #expect(await outcome.data == Data("\(512 * 64 * 1024)".utf8))
    }

    /// Returns when other exchanges have found the count unchanged for long.
    private func settle(_ asked: Watched<Int>) async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        var (before, unchanged) = (-1, 0)
        while unchanged < 20 {
            _ = await session.request(server.url).outcome()
            unchanged = asked.value == before ? unchanged + 1 : 0
            before = asked.value
        }
    }

    @Test func anAnswerBeforeTheEndOfTheBodyEndsTheSequence() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.readBody(exactly: 1)
            try await exchange.respond(200, body: "enough")
            try await exchange.discardBody()
        }
        let over = Gate()
        let (elements, continuation) = AsyncStream<Data>.makeStream()
        continuation.onTermination = { _ in over.open() }
        continuation.yield(Data("a".utf8))
        let session = Session.onTheWire()
        let outcome = await session.upload(UploadStream(elements), to: server.url).outcome()
        #expect(outcome.error == nil && outcome.data == Data("enough".utf8))
        try await over.wait()
    }
    #endif

    // MARK: The end

    @Test func cancellingEndsTheSequence() async throws {
        let server = try await echo()
        let elements = EndlessWait()
        let session = Session.onTheWire()
        let upload = session.upload(UploadStream(elements), to: server.url).resume()
        _ = try await elements.asked.when { $0 == 1 }
        upload.cancel()
        #expect(await upload.outcome().error?.isExplicitlyCancelledError == true)
        try await elements.ended.wait()
    }

    @Test func aTransportThatKeepsTheRequestEndsTheSequenceToo() async throws {
        let failure = TransportFailure(.reset, message: "as the test says")
        let transport = ScriptedTransport(Answer.steps(.head(200), .failure(failure)).beforeBody())
        let session = Session.over(transport)
        let upload = session.upload(UploadStream(CountedElements("a")), to: Self.url)
        #expect(await upload.outcome().error != nil)
        guard case .stream(let reader, _) = transport.requests.first?.body else {
            Issue.record("the body is no stream")
            return
        }
        let error = await #expect(throws: SessionError.self) { try await reader.readToEnd() }
        #expect(error?.isExplicitlyCancelledError == true)
    }

    private typealias Answer = ScriptedTransport.Answer

    @Test func anErrorOfTheSequenceIsThatOfTheRequest() async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        let stream = UploadStream(CountedElements("a", isBroken: true))
        let error = await session.upload(stream, to: server.url).outcome().error
        #expect(error?.isCreateUploadableError == true)
        #expect(error?.underlyingError is CountedElements.Broken)
    }

    @Test(arguments: [1, 3] as [Int64]) func aBodyOfAnotherLengthIsAnError(length: Int64) async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        let stream = UploadStream(CountedElements("ab"), length: length)
        let error = await session.upload(stream, to: server.url).outcome().error
        let expected: UploadStreamError =
            length == 1 ? .exceedsLength(1) : .endedEarly(sent: 2, length: 3)
        #expect(error?.underlyingError as? UploadStreamError == expected)
    }

    @Test func aNegativeLengthIsAnError() async {
        let session = Session.over(StubbedTransport(.response(200)))
        let error = await session.upload(UploadStream(CountedElements(), length: -1), to: Self.url).outcome().error
        #expect(error?.underlyingError as? UploadStreamError == .negativeLength(-1))
    }

    // MARK: Sending again

    /// Reads the body and fails, then reads it and answers.
    private func failingOnce() -> ScriptedTransport {
        ScriptedTransport(.steps(.failure(TransportFailure(.reset, message: "as the test says"))), .response(200))
    }

    @Test func aSequenceThatWasReadIsNotSentAgain() async {
        let transport = failingOnce()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let error = await session.upload(UploadStream(CountedElements("a")), to: Self.url).outcome().error
        #expect(error?.underlyingError as? UploadStreamError == .wasRead)
        #expect(transport.requests.count == 1)
    }

    @Test func aSequenceOfAClosureIsSentAgain() async {
        let transport = failingOnce()
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let stream = UploadStream { CountedElements("a", "b") }
        #expect(await session.upload(stream, to: Self.url).outcome().head?.status == 200)
        #expect(transport.exchanges.map(\.body) == [Data("ab".utf8), Data("ab".utf8)])
    }

    @Test func aSequenceOfWhichNothingWasReadIsSentAgain() async {
        let transport = ScriptedTransport(Answer.failure(.connect).beforeBody(), .response(200))
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        #expect(await session.upload(UploadStream(CountedElements("a")), to: Self.url).outcome().head?.status == 200)
        #expect(transport.exchanges.last?.body == Data("a".utf8))
    }

    @Test(arguments: [307, 308]) func aRedirectWithASequenceThatWasReadIsAnError(status: Int) async throws {
        let transport = ScriptedTransport(.response(status, ["Location": "/next"]), .response(200))
        let session = Session.over(transport)
        let outcome = await session.upload(UploadStream(CountedElements("a")), to: Self.url).outcome()
        #expect(outcome.error?.underlyingError as? UploadStreamError == .redirected(to: "http://a.example/next"))
        #expect(outcome.head?.status == status)
    }

    @Test(arguments: [307, 308]) func aRedirectIsFollowedWithASequenceOfAClosure(status: Int) async throws {
        let transport = ScriptedTransport(.response(status, ["Location": "/next"]), .response(200))
        let session = Session.over(transport)
        let outcome = await session.upload(UploadStream { CountedElements("a") }, to: Self.url).outcome()
        #expect(outcome.head?.status == 200 && outcome.error == nil)
        #expect(transport.exchanges.map(\.body) == [Data("a".utf8), Data("a".utf8)])
    }

    @Test func aRedirectThatDropsTheBodyIsFollowed() async throws {
        let transport = ScriptedTransport(.response(303, ["Location": "/next"]), .response(200))
        let session = Session.over(transport)
        let outcome = await session.upload(UploadStream(CountedElements("a")), to: Self.url).outcome()
        #expect(outcome.head?.status == 200 && outcome.error == nil)
        #expect(transport.requests.map(\.method) == ["POST", "GET"])
    }

    @Test(arguments: [
        SessionError.explicitlyCancelled, .sessionTaskFailed(error: TransportFailure(.reset, message: "x")),
    ])
    func anErrorOfAnotherRequestIsOneOfTheSequence(error: SessionError) async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        let elements = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: error) }
        let request = session.upload(UploadStream(elements), to: server.url)
        let outcome = await request.outcome()
        guard case .createUploadableFailed(let inner)? = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(inner is SessionError)
        #expect(!request.isCancelled)
    }
}
