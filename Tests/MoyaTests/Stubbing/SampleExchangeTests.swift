import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sample data that streams in pieces.
@Suite struct SampleExchangeTests {
    private let target = API(sampleData: Data("abcdefgh".utf8))

    private func pieces(_ provider: MoyaProvider<API>) async throws -> [String] {
        var pieces: [String] = []
        for try await chunk in try await provider.stream(target).bytes {
            pieces.append(String(decoding: chunk, as: UTF8.self))
        }
        return pieces
    }

    @Test(arguments: [
        (3, ["abc", "def", "gh"]), (4, ["abcd", "efgh"]), (100, ["abcdefgh"]), (0, "abcdefgh".map { String($0) }),
    ])
    func streamsInPieces(of size: Int, expected: [String]) async throws {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.streamedStub(pieceSize: size))
        #expect(try await pieces(provider) == expected)
    }

    @Test func streamsInPiecesFromASubclass() async throws {
        final class Subclass: MoyaProvider<API>, @unchecked Sendable {}
        #expect(try await pieces(Subclass(stubClosure: Subclass.streamedStub(pieceSize: 4))) == ["abcd", "efgh"])
    }

    @Test func streamsInPiecesThroughAnOverriddenStub() async throws {
        final class Subclass: MoyaProvider<API>, @unchecked Sendable {
            let stubs = Recorder<Void>()

            override func stubRequest(
                _ target: API, request: URLRequest, callbackQueue: DispatchQueue?,
                completion: @escaping SendableCompletion, endpoint: Endpoint, stubBehavior: StubBehavior
            ) -> CancellableToken {
                stubs.append(())
                return super.stubRequest(
                    target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: endpoint,
                    stubBehavior: stubBehavior)
            }
        }
        let provider = Subclass(stubClosure: Subclass.streamedStub(pieceSize: 4))
        #expect(try await pieces(provider) == ["abcd", "efgh"])
        #expect(provider.stubs.count == 1)
    }

    @Test func aStubClosureMayChooseForOneTarget() async throws {
        let provider = MoyaProvider<API>(stubClosure: { target in
            target.path == "/zen" ? MoyaProvider.streamedStub(pieceSize: 4)(target) : .immediate
        })
        #expect(try await pieces(provider) == ["abcd", "efgh"])
        var other = target
        other.path = "/other"
        var chunks = try await provider.stream(other).bytes.makeAsyncIterator()
        #expect(try await chunks.next() == other.sampleData)
    }

    @Test func aCallThatIsNotStreamedReceivesItsWholeSample() async throws {
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.streamedStub(pieceSize: 3, every: .seconds(3600)))
        #expect(try await provider.request(target).data == target.sampleData)
    }

    @Test func waitsBeforeEachPieceByTheProvidersClock() async throws {
        let clock = TestClock()
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.streamedStub(pieceSize: 4, every: .seconds(5)), middleware: [], clock: clock)
        let task = _Concurrency.Task { try await pieces(provider) }
        for _ in 0..<2 {
            try await clock.waitForSleepers(1)
            #expect(clock.untilNextSleeper == .seconds(5))
            clock.advance(by: .seconds(5))
        }
        #expect(try await task.value == ["abcd", "efgh"])
    }

    @Test func passesTheMiddlewareAtItsHead() async throws {
        let log = Recorder<String>()
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.streamedStub(pieceSize: 4),
            middleware: [ClosureMiddleware.recording("m", in: log)])
        #expect(try await pieces(provider) == ["abcd", "efgh"])
        #expect(log.count > 0)
    }

    @Test func leavingTheLoopEndsTheWait() async throws {
        let clock = TestClock()
        let provider = MoyaProvider<API>(
            stubClosure: MoyaProvider.streamedStub(pieceSize: 1, every: .seconds(1)), middleware: [], clock: clock)
        let task = _Concurrency.Task { [target] in
            for try await chunk in try await provider.stream(target).bytes { return chunk }
            return Data()
        }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await task.value == Data("a".utf8))
        try await clock.waitForNoSleepers()
    }

    @Test func pausesWhileTheReaderWaits() async throws {
        let sink = HoldingSink()
        let (_, pace) = SamplePace.chosen(by: ContinuousClock()) {
            MoyaProvider<API>.streamedStub(pieceSize: 1)(target)
        }
        let exchange = SampleExchange(delivering: sink)
        exchange.start(TransportResponseHead(status: 200), Data("abc".utf8), at: try #require(pace))
        for expected in ["", "a", "ab", "abc"] {
            #expect(await sink.next() == expected)
            exchange.resume()
        }
        #expect(await sink.next() == "end")
    }

    @Test func aCancellationEndsAPausedExchange() async throws {
        let sink = HoldingSink()
        let (_, pace) = SamplePace.chosen(by: ContinuousClock()) {
            MoyaProvider<API>.streamedStub(pieceSize: 1)(target)
        }
        let exchange = SampleExchange(delivering: sink)
        exchange.start(TransportResponseHead(status: 200), Data("abc".utf8), at: try #require(pace))
        #expect(await sink.next() == "")
        exchange.cancel()
        #expect(await sink.next() == "cancelled")
    }
}

/// Takes one event at a time, and tells the text so far, or the end.
private final class HoldingSink: TransportSink {
    private let text = Lock("")
    private let events: AsyncStream<String>
    private let event: AsyncStream<String>.Continuation

    init() { (events, event) = AsyncStream.makeStream() }

    func next() async -> String? { await events.first { _ in true } }

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .chunk(let bytes): text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        case .end(let end):
            self.event.yield(end.failure?.kind == .cancelled ? "cancelled" : "end")
            return .wait
        default: break
        }
        self.event.yield(text.value)
        return .wait
    }
}
