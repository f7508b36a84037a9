import Foundation
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaTesting

@Suite(.timeLimit(.minutes(5))) struct ScriptedTransportTests {
    private func request(
        _ method: String = "GET", _ path: String = "/", body: TransportBody = .none, reportsSentBytes: Bool = false,
        collectsMetrics: Bool = false
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, url: "http://example.com\(path)", body: body, collectsMetrics: collectsMetrics,
            reportsSentBytes: reportsSentBytes)
    }

    /// Starts an exchange whose events arrive at once.
    private func run(_ transport: ScriptedTransport, _ request: HTTPRequest) -> HeardEvents {
        let sink = ListeningSink()
        _ = transport.start(request, delivering: sink)
        return sink.heard
    }

    // MARK: The body

    /// A body of five bytes.
    private final class FiveBytes: TransportBodyReader {
        private let isRead = Lock(false)

        func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? {
            if isRead.exchange(true) { return 0 }
            return Data("bytes".utf8).copyBytes(to: buffer)
        }

        func rewind() -> Bool { false }
    }

    @Test func aStreamThatEndsBeforeItsStatedLengthIsRefused() {
        let heard = run(ScriptedTransport(.response()), request("POST", body: .stream(FiveBytes(), length: 10)))
        #expect(heard.kind == .requestBody)
    }

    @Test(arguments: [nil, 5] as [Int64?]) func aStreamOfItsStatedLengthIsSent(_ length: Int64?) {
        let transport = ScriptedTransport(.response())
        #expect(run(transport, request("POST", body: .stream(FiveBytes(), length: length))).failure == nil)
        #expect(transport.exchanges[0].body == Data("bytes".utf8))
    }

    @Test(arguments: [(3, "abc"), (5, "abcde"), (10, nil)] as [(Int64, String?)])
    func aFileIsSentAsFarAsItsStatedLength(_ length: Int64, _ sent: String?) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("moya-tests-\(UUID().uuidString)")
        try Data("abcde".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = ScriptedTransport(.response())
        let heard = run(transport, request("POST", body: .file(file, length: length)))
        #expect(heard.kind == (sent == nil ? .requestBody : nil))
        #expect(transport.exchanges[0].body == sent.map { Data($0.utf8) })
    }

    // MARK: Which answer

    @Test func aResponseArrivesBeforeStartReturns() {
        let heard = run(ScriptedTransport(.response(201, ["A": "b"], body: "made")), request())
        #expect(heard.order == ["head", "chunk", "end"])
        #expect(heard.head?.status == 201)
        #expect(heard.head?.value(for: "a") == "b")
        #expect(heard.text == "made")
        #expect(heard.failure == nil)
    }

    @Test func answersComeInOrderAndTheLastOneRepeats() {
        let transport = ScriptedTransport(.response(1), .response(2))
        #expect((0..<4).map { _ in run(transport, request()).head?.status } == [1, 2, 2, 2])
    }

    @Test func appendedAnswersFollow() {
        let transport = ScriptedTransport(.response(1))
        transport.append(.response(2), .response(3))
        #expect((0..<4).map { _ in run(transport, request()).head?.status } == [1, 2, 3, 3])
    }

    @Test func theFirstRuleThatFitsAnswers() {
        let transport = ScriptedTransport(.response(1))
            .when("POST", "/a", answer: .response(2), .response(3))
            .when({ $0.method == "POST" }, answer: .response(4))
        #expect(run(transport, request()).head?.status == 1)
        #expect(run(transport, request("POST", "/b")).head?.status == 4)
        #expect((0..<3).map { _ in run(transport, request("POST", "/a?q=1")).head?.status } == [2, 3, 3])
    }

    @Test func requestWithoutAnAnswerFailsAndIsReported() {
        let transport = ScriptedTransport().when("GET", "/a", answer: .response())
        let heard = run(transport, request("GET", "/b"))
        #expect(heard.kind == .unsupported)
        #expect(heard.failure?.message.contains("GET http://example.com/b") == true)
        #expect(transport.unexpectedRequests.map(\.url) == ["http://example.com/b"])
    }

    @Test func anAnswerMayBeMadeFromTheRequest() {
        let transport = ScriptedTransport(.making { .response(200, body: $0.method) }.chunked(by: 1))
        let heard = run(transport, request("PUT"))
        #expect(heard.text == "PUT")
        #expect(heard.chunkCount == 3)
    }

    @Test func aMadeAnswerMayBeMadeInTurn() {
        let transport = ScriptedTransport(.making { _ in .making { .response(200, body: $0.method) } })
        #expect(run(transport, request("PUT")).text == "PUT")
    }

    @Test func aPredicateMayReadTheRequests() {
        let transport = ScriptedTransport(.response(1))
        transport.when({ [weak transport] _ in transport?.requests.count == 1 }, answer: .response(2))
        #expect((0..<3).map { _ in run(transport, request()).head?.status } == [1, 2, 1])
    }

    // MARK: Diagnostics

    @Test func theMessageAboutAMissingAnswerMasksSecrets() {
        let failure = run(ScriptedTransport(), request("GET", "/?access_token=hunter2")).failure
        #expect(failure?.message.contains("access_token=<masked>") == true)
    }

    @Test func theMessageAboutAnExceededLimitMasksSecrets() async {
        let transport = ScriptedTransport(.response())
        _ = run(transport, request("GET", "/?access_token=hunter2"))
        let error = await #expect(throws: TestSupportError.self) {
            try await transport.waitUntil(within: .zero) { $0.count == 2 }
        }
        #expect(error?.description.contains("access_token=<masked>") == true)
    }

    // MARK: Steps

    @Test func stepsComeInTheirOrder() {
        let answer = ScriptedTransport.Answer.steps(
            .informational(103, ["Link": "</a>"]), .head(200), .chunk("a"), .chunk("b"),
            .failure(TransportFailure(.reset, message: "gone")))
        let heard = run(ScriptedTransport(answer), request())
        #expect(heard.order == ["informational", "head", "chunk", "end"])
        #expect(heard.informational.first?.status == 103)
        #expect(heard.text == "ab")
        #expect(heard.kind == .reset)
    }

    @Test func aBodyComesInPieces() {
        let heard = run(ScriptedTransport(.response(body: "hello").chunked(by: 2)), request())
        #expect(heard.chunkCount == 3)
        #expect(heard.text == "hello")
    }

    @Test func anEmptyBodyIsNotAChunk() {
        #expect(run(ScriptedTransport(.response()), request()).order == ["head", "end"])
    }

    @Test func aFailureNeedsNoResponse() {
        let heard = run(ScriptedTransport(.failure(.timeout(.idle))), request())
        #expect(heard.order == ["end"])
        #expect(heard.kind == .timeout(.idle))
    }

    // MARK: Time

    @Test func aDelayEndsOnTheTestsClockAlone() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport(.response(body: "late").delayed(by: .seconds(3600)), clock: clock)
        let sink = ListeningSink()
        _ = transport.start(request(), delivering: sink)
        try await clock.waitForSleepers(1)
        #expect(clock.untilNextSleeper == .seconds(3600))
        #expect(sink.heard.order.isEmpty)
        clock.advance(by: .seconds(3600))
        #expect(try await sink.waitForEnd().text == "late")
    }

    @Test func aDelayWithinTheBodyHoldsTheRest() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport(.steps(.head(), .chunk("a"), .delay(.seconds(1)), .chunk("b")), clock: clock)
        let sink = ListeningSink()
        _ = transport.start(request(), delivering: sink)
        try await clock.waitForSleepers(1)
        #expect(sink.heard.text == "a")
        clock.advanceToNextSleeper()
        #expect(try await sink.waitForEnd().text == "ab")
    }

    @Test func aGateHoldsTheAnswer() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(.response().held(at: gate))
        let sink = ListeningSink()
        _ = transport.start(request(), delivering: sink)
        try await gate.waitForArrivals(1)
        #expect(sink.heard.order.isEmpty)
        gate.open()
        #expect(try await sink.waitForEnd().head?.status == 200)
    }

    // MARK: Demand

    @Test func aWaitingSinkReceivesNothingUntilItResumes() {
        let transport = ScriptedTransport(.response(body: "abc").chunked(by: 1))
        let sink = ListeningSink { _ in .wait }
        let exchange = transport.start(request(), delivering: sink)
        var lengths: [Int] = []
        while !sink.heard.isEnded {
            lengths.append(sink.heard.body.count)
            exchange.resume()
        }
        #expect(lengths == [0, 1, 2, 3])
        #expect(transport.exchanges.first?.resumptions == 4)
    }

    @Test func aResumptionFromWithinTheSinkIsNotLost() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(.response(body: "abc").chunked(by: 1).held(at: gate))
        let handle = Watched<(any TransportExchange)?>(nil)
        let isOver = Watched(false)
        let sink = ListeningSink { heard in
            handle.value?.resume()
            if heard.isEnded { isOver.update { $0 = true } }
            return .wait
        }
        let exchange = transport.start(request(), delivering: sink)
        handle.update { $0 = exchange }
        gate.open()
        _ = try await isOver.when { $0 }
        #expect(sink.heard.text == "abc")
    }

    @Test func aPauseHoldsLaterEvents() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(.steps(.head(), .wait(at: gate), .chunk("x")))
        let sink = ListeningSink()
        let exchange = transport.start(request(), delivering: sink)
        try await gate.waitForArrivals(1)
        exchange.pause()
        gate.open()
        #expect(sink.heard.order == ["head"])
        exchange.resume()
        #expect(try await sink.waitForEnd().text == "x")
        #expect(transport.exchanges.first?.pauses == 1)
    }

    // MARK: Cancellation

    @Test func silenceLastsUntilACancellation() {
        let transport = ScriptedTransport(.silence)
        let sink = ListeningSink()
        let exchange = transport.start(request(), delivering: sink)
        #expect(sink.heard.order.isEmpty)
        exchange.cancel()
        exchange.cancel()
        #expect(sink.heard.order == ["end"])
        #expect(sink.heard.kind == .cancelled)
        #expect(transport.exchanges.first?.isCancelled == true)
    }

    @Test func aCancellationEndsADelayAndLeavesNoSleeper() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport(.response().delayed(by: .seconds(1)), clock: clock)
        let sink = ListeningSink()
        let exchange = transport.start(request(), delivering: sink)
        try await clock.waitForSleepers(1)
        exchange.cancel()
        #expect(sink.heard.kind == .cancelled)
        try await clock.waitForNoSleepers()
        #expect(sink.heard.ends.count == 1)
    }

    @Test func aPausedExchangeCanBeCancelled() {
        let transport = ScriptedTransport(.response(body: "x"))
        let sink = ListeningSink { _ in .wait }
        let exchange = transport.start(request(), delivering: sink)
        exchange.cancel()
        #expect(sink.heard.order == ["head", "end"])
    }

    @Test func aCancellationAfterTheEndIsKeptAndChangesNothing() {
        let transport = ScriptedTransport(.response())
        let sink = ListeningSink()
        transport.start(request(), delivering: sink).cancel()
        #expect(sink.heard.ends.count == 1)
        #expect(sink.heard.failure == nil)
    }

    @Test func releasingATransportEndsOpenExchanges() {
        let sink = ListeningSink()
        var transport: ScriptedTransport? = ScriptedTransport(.silence)
        _ = transport?.start(request(), delivering: sink)
        transport = nil
        #expect(sink.heard.kind == .cancelled)
    }

    @Test func racingCancellationsEndOnce() async throws {
        for _ in 0..<200 {
            let transport = ScriptedTransport(.response(body: "abc").chunked(by: 1).held(at: Gate(isOpen: true)))
            let sink = ListeningSink()
            let exchange = transport.start(request(), delivering: sink)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { exchange.cancel() } }
            }
            #expect(try await sink.waitForEnd().ends.count == 1)
        }
    }

    // MARK: Requests

    @Test func bodiesOfEveryKindAreKept() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("scripted-\(UUID().uuidString)")
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = ScriptedTransport(.response())
        let reader = PieceReader(Data("stream".utf8), piece: 4)
        for body: TransportBody in [
            .none, .data(Data("data".utf8)), .file(file, length: 4), .stream(reader, length: nil),
        ] {
            _ = run(transport, request("POST", body: body))
        }
        #expect(
            transport.exchanges.map { $0.body.map { String(decoding: $0, as: UTF8.self) } }
                == [nil, "data", "file", "stream"])
    }

    @Test func aReaderThatHasNothingYetHoldsTheAnswer() async throws {
        let transport = ScriptedTransport(.response())
        let reader = LateReader([Data("late ".utf8), Data("but whole".utf8)])
        let sink = ListeningSink()
        _ = transport.start(request("POST", body: .stream(reader, length: nil)), delivering: sink)
        for _ in 0..<3 {
            #expect(sink.heard.order.isEmpty)
            reader.letOneThrough()
        }
        #expect(sink.heard.order == ["head", "end"])
        #expect(transport.exchanges.first?.body == Data("late but whole".utf8))
    }

    @Test func anAnswerMayComeBeforeTheBody() {
        let transport = ScriptedTransport(.response(413).beforeBody())
        let heard = run(transport, request("POST", body: .data(Data("x".utf8))))
        #expect(heard.head?.status == 413)
        #expect(transport.exchanges.first?.body == nil)
    }

    @Test func reportsSentBytesOnRequest() {
        let reader = PieceReader(Data("stream".utf8), piece: 4)
        let heard = run(
            ScriptedTransport(.response()),
            request("POST", body: .stream(reader, length: 6), reportsSentBytes: true))
        #expect(heard.sent == [4, 6])
        #expect(heard.expected == [6, 6])
        #expect(heard.order == ["sent", "head", "end"])
    }

    @Test func aReaderThatThrowsEndsTheExchange() {
        let reader = PieceReader(Data("stream".utf8), piece: 4, breaksAt: 4)
        let transport = ScriptedTransport(.response())
        let heard = run(transport, request("POST", body: .stream(reader, length: 6)))
        #expect(heard.kind == .requestBody)
        #expect(heard.heads.isEmpty)
    }

    @Test func metricsHaveSizesUnlessTheScriptSetsThem() {
        let transport = ScriptedTransport(.response(body: "hello"), .response().measured(.init(total: 7)))
        let asked = request("POST", body: .data(Data("abc".utf8)), collectsMetrics: true)
        #expect(run(transport, asked).metrics == TransportMetrics(bytesSent: 3, bytesReceived: 5))
        #expect(run(transport, asked).metrics?.total == 7)
        #expect(run(transport, request()).metrics == nil)
    }

    @Test func testMayWaitForRequests() async throws {
        let transport = ScriptedTransport(.response().held(at: Gate(isOpen: true)))
        let asked = request("GET", "/later")
        Task { _ = transport.start(asked, delivering: ListeningSink()) }
        let exchanges = try await transport.waitUntil { $0.contains { $0.end != nil } }
        #expect(exchanges.map(\.request.url) == ["http://example.com/later"])
    }
}
