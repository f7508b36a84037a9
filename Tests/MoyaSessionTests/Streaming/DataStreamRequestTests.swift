import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct DataStreamRequestTests {
    private let transport = SteppedTransport()
    private let queue = DispatchQueue(label: "closures")

    private func request(
        _ session: Session? = nil, cancelsOnError: Bool = false, interceptor: (any RequestInterceptor)? = nil
    ) -> (request: DataStreamRequest, session: Session) {
        let session = session ?? .over(transport)
        let request = session.streamRequest(
            "https://a.example/export", automaticallyCancelOnStreamError: cancelsOnError, interceptor: interceptor)
        return (request, session)
    }

    /// Starts a request, plays its response, and waits for the end of what its closure receives.
    private func texts(
        of request: DataStreamRequest, on queue: DispatchQueue? = nil,
        _ perform: @escaping @Sendable (DataStreamRequest.Stream<String, Never>) throws -> Void = { _ in },
        play: () -> Void
    ) async -> (texts: [String], end: DataStreamRequest.Completion) {
        let texts = Lock<[String]>([])
        let end = await handedOver { handOver in
            request.responseStreamString(on: queue ?? self.queue) { stream in
                if let text = stream.value { texts.withLock { $0.append(text) } }
                if let completion = stream.completion { handOver(completion) }
                try perform(stream)
            }
            request.resume()
            play()
        }
        return (texts.withLock { $0 }, end)
    }

    // MARK: Receiving

    @Test func passesEachChunkAndThenTheEnd() async {
        let (request, session) = request()
        let heard = await texts(of: request) { transport.exchanges[0].respond(200, [("X-Kind", "export")], "body") }
        #expect(heard.texts == ["body"])
        #expect(heard.end.error == nil)
        #expect(heard.end.response?.headers["X-Kind"] == "export")
        #expect(heard.end.request?.url?.absoluteString == "https://a.example/export")
        withExtendedLifetime(session) {}
    }

    @Test func passesChunksInOrderOnAConcurrentQueue() async {
        let (request, session) = request()
        let numbers = (0..<2_000).map { "\($0)" }
        let heard = await texts(of: request, on: .global()) {
            transport.exchanges[0].head(200)
            numbers.forEach(transport.exchanges[0].chunk)
            transport.exchanges[0].end()
        }
        #expect(heard.texts == numbers)
        withExtendedLifetime(session) {}
    }

    @Test func everyClosureReceivesTheWholeBody() async {
        let (request, session) = request()
        let bytes = Lock(Data())
        request.responseStream(on: queue) { stream in
            if let data = stream.value { bytes.withLock { $0 += data } }
        }
        let heard = await texts(of: request) { transport.exchanges[0].respond(200, [], "body") }
        #expect(heard.texts == ["body"])
        queue.sync {}
        #expect(bytes.withLock { $0 } == Data("body".utf8))
        withExtendedLifetime(session) {}
    }

    @Test func startsWithItsFirstClosure() async {
        let stubbed = StubbedTransport(.response(200, [], "body"))
        let session = Session.over(stubbed, startRequestsImmediately: true)
        let end = await handedOver { handOver in
            session.streamRequest("https://a.example").responseStream(on: queue) { stream in
                if let completion = stream.completion { handOver(completion) }
            }
        }
        #expect(end.error == nil)
        #expect(stubbed.requests.count == 1)
    }

    @Test func isNotBoundedAsAResponseInMemoryIs() async {
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false, maximumResponseBytes: 2, transport: transport)
        let (request, _) = request(session)
        let heard = await texts(of: request) { transport.exchanges[0].respond(200, [], "body") }
        #expect(heard.texts == ["body"])
        #expect(heard.end.error == nil)
    }

    @Test func aRetryPassesTheBodyAgain() async {
        let (request, session) = request(interceptor: Intercepting.retrying(1))
        let heard = await texts(of: request) {
            transport.exchanges[0].head(200)
            transport.exchanges[0].chunk("bo")
            transport.exchanges[0].end(.truncated)
            transport.exchanges[1].respond(200, [], "body")
        }
        #expect(heard.texts == ["bo", "body"])
        #expect(heard.end.error == nil)
        withExtendedLifetime(session) {}
    }

    // MARK: Back-pressure

    @Test func holdsTheTransportWhileAClosureIsBehind() async {
        let (request, session) = request()
        queue.suspend()
        let heard = await texts(of: request) {
            transport.exchanges[0].head(200)
            transport.exchanges[0].chunk(String(repeating: "x", count: 200_000))
            #expect(request.delivery.isHeld)
            #expect(transport.exchanges[0].resumptions == 0)
            // The chunk waits on the closure's queue by then, and the closure has it after that.
            request.serializationQueue.sync {}
            queue.resume()
            queue.sync {}
            transport.exchanges[0].end()
        }
        #expect(heard.end.error == nil)
        #expect(!request.delivery.isHeld)
        #expect(transport.exchanges[0].resumptions == 1)
        withExtendedLifetime(session) {}
    }

    @Test func doesNotHoldTheTransportWithoutAClosure() {
        let (request, session) = request()
        request.resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk(String(repeating: "x", count: 200_000))
        #expect(!request.delivery.isHeld)
        withExtendedLifetime(session) {}
    }

    // MARK: Ends

    @Test func theTokenOfAPartCancels() async {
        let (request, session) = request()
        let heard = await texts(of: request) { stream in
            stream.cancel()
        } play: {
            transport.exchanges[0].head(200)
            transport.exchanges[0].chunk("first")
        }
        #expect(heard.texts == ["first"])
        #expect(heard.end.error?.isExplicitlyCancelledError == true)
        withExtendedLifetime(session) {}
    }

    @Test func anErrorOfTheClosureEndsTheRequest() async {
        let (request, session) = request()
        let heard = await texts(of: request) { stream in
            if stream.value != nil { throw URLError(.badURL) }
        } play: {
            transport.exchanges[0].head(200)
            transport.exchanges[0].chunk("first")
        }
        #expect((heard.end.error?.underlyingError as? URLError)?.code == .badURL)
        withExtendedLifetime(session) {}
    }

    @Test(arguments: [false, true]) func aValueThatCannotBeDecodedCancelsIfAsked(_ cancels: Bool) async {
        let (request, session) = request(cancelsOnError: cancels)
        let results = Lock<[Result<Int, SessionError>]>([])
        let decoded = DispatchQueue(label: "decoded")
        let end = await handedOver { handOver in
            request.responseStreamDecodable(of: Int.self, on: decoded) { stream in
                if let result = stream.result { results.withLock { $0.append(result) } }
                if let completion = stream.completion { handOver(completion) }
            }
            request.resume()
            transport.exchanges[0].head(200)
            transport.exchanges[0].chunk("no number")
            request.serializationQueue.sync {}
            transport.exchanges[0].chunk("2")
            transport.exchanges[0].end()
        }
        #expect((end.error != nil) == cancels)
        #expect(results.withLock { $0 }.compactMap { try? $0.get() } == (cancels ? [] : [2]))
        withExtendedLifetime(session) {}
    }

    @Test func partsUpToTheOneThatFailsArePassedOnThoughTheirQueueIsBusy() async {
        let (request, session) = request(cancelsOnError: true)
        let results = Recorded<Int?>()
        let decoded = DispatchQueue(label: "decoded")
        decoded.suspend()
        await handedOver { handOver in
            request.responseStreamDecodable(of: Int.self, on: decoded) { stream in
                if let result = stream.result { results.add(try? result.get()) }
                if stream.completion != nil { handOver(()) }
            }
            request.resume()
            transport.exchanges[0].head(200)
            for part in ["1", "2", "no number"] {
                transport.exchanges[0].chunk(part)
                request.serializationQueue.sync {}
            }
            decoded.resume()
        }
        #expect(results.all == [1, 2, nil])
        withExtendedLifetime(session) {}
    }

    @Test func passesNoChunkAfterTheEnd() {
        let (request, session) = request()
        // The time limit expires before the closure receives a chunk that is on its way.
        request.delivery.add { _, request, release in
            request.expire(at: .max)
            release()
        }
        let parts = Lock<[String]>([])
        request.responseStreamString(on: queue) { stream in
            parts.withLock { $0.append(stream.value ?? "end") }
        }
        request.resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("late")
        request.serializationQueue.sync {}
        queue.sync {}
        #expect(parts.value == ["end"])
        withExtendedLifetime(session) {}
    }

    @Test func passesACutCharacterAfterTheReleaseOfTheRequest() {
        let parts = Lock<[String]>([])
        queue.suspend()
        do {
            let (request, session) = request()
            request.responseStreamString(on: queue) { stream in
                parts.withLock { $0.append(stream.value ?? "end") }
            }
            request.resume()
            transport.exchanges[0].head(200)
            transport.exchanges[0].chunk(Data("1€".utf8).dropLast())
            transport.exchanges[0].end()
            request.serializationQueue.sync {}
            withExtendedLifetime(session) {}
        }
        queue.resume()
        queue.sync {}
        #expect(parts.value == ["1", "\u{FFFD}", "end"])
    }

    // MARK: Validation

    @Test func isValidatedAfterItsBody() async {
        let (request, session) = request()
        let heard = await texts(of: request.validate()) { transport.exchanges[0].respond(404, [], "missing") }
        #expect(heard.texts == ["missing"])
        #expect(heard.end.error?.responseCode == 404)
        withExtendedLifetime(session) {}
    }

    @Test func theContentTypeOfABodyThatIsNotKeptIsValidated() async {
        let (request, session) = request()
        let heard = await texts(of: request.validate(contentType: ["application/json"])) {
            transport.exchanges[0].respond(200, [("Content-Type", "text/html")], "<html>")
        }
        #expect(heard.end.error?.responseContentType == "text/html")
        withExtendedLifetime(session) {}
    }

    @Test func aClosureValidates() async {
        let (request, session) = request()
        let validated = request.validate { _, response in
            response.statusCode == 201 ? .failure(URLError(.badServerResponse)) : .success(())
        }
        let heard = await texts(of: validated) { transport.exchanges[0].respond(201, [], "made") }
        #expect(heard.end.error?.isResponseValidationError == true)
        withExtendedLifetime(session) {}
    }

    @Test func sourceOfTheRequestIsReadable() {
        let session = Session.over(transport)
        let request = session.streamRequest("https://a.example/export")
        #expect(request.convertible.urlRequest?.url?.absoluteString == "https://a.example/export")
    }
}

@Suite struct ChunkSerializerTests {
    private let euro = Data("1€".utf8)

    @Test func aCharacterThatTwoChunksShareComesWhole() {
        let text = ChunkSerializer<String, Never>.text()
        #expect(text.value(.init(data: euro.prefix(2), response: 1))?.get() == "1")
        #expect(text.value(.init(data: euro.suffix(2), response: 1))?.get() == "€")
        #expect(text.rest(1) == nil)
    }

    @Test func aChunkOfAPartOfACharacterGivesNothing() {
        let text = ChunkSerializer<String, Never>.text()
        #expect(text.value(.init(data: euro[1..<2], response: 1)) == nil)
    }

    @Test func aCharacterThatIsNotCompletedIsReplaced() {
        let text = ChunkSerializer<String, Never>.text()
        _ = text.value(.init(data: euro.prefix(2), response: 1))
        #expect(text.rest(1)?.get() == "\u{FFFD}")
    }

    @Test func anotherResponseDoesNotCompleteACharacter() {
        let text = ChunkSerializer<String, Never>.text()
        _ = text.value(.init(data: euro.prefix(2), response: 1))
        #expect(text.value(.init(data: Data("new".utf8), response: 2))?.get() == "new")
    }

    @Test func aCutCharacterOfAnotherResponseIsNoRest() {
        let text = ChunkSerializer<String, Never>.text()
        _ = text.value(.init(data: euro.prefix(2), response: 1))
        #expect(text.rest(2) == nil)
    }

    @Test func everySplitGivesTheSameText() {
        let whole = Data("aé€😀z".utf8)
        for first in 0...whole.count {
            for second in first...whole.count {
                let text = ChunkSerializer<String, Never>.text()
                let parts = [whole[..<first], whole[first..<second], whole[second...]].map { Data($0) }
                let texts = parts.map { text.value(.init(data: $0, response: 1))?.get() ?? "" }
                #expect(texts.joined() == "aé€😀z")
            }
        }
    }
}
