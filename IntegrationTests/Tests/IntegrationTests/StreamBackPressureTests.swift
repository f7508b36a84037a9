import CallOrders
import Foundation
import Moya
import Testing

/// Streams whose reader is slower than their server, over every version and coding.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct StreamBackPressureTests {
    let servers: Servers
    /// The word of the test.
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    // MARK: The server's side

    /// Over HTTP/2, libcurl 7.88 gives a stream nothing more that was left unread while its connection had other calls.
    @Test(arguments: FeedFront.allCases.filter { $0.protocolName == "http/1.1" })
    func aLoopThatStopsReadingStopsTheServersWrites(front: FeedFront) async throws {
        let session = Session.trusting(servers)
        let base = front.url(servers)
        let provider = MoyaProvider<Call>(session: session)
        let flood = Call.get(base, "/flood/\(mark)", query: ["bytes": 1 << 30])
        do {
            let stream = try await provider.stream(flood)
            #expect((stream.headers["Content-Encoding"] == "gzip") == front.isCoded)
            var chunks = stream.bytes.makeAsyncIterator()
            var read = try #require(try await chunks.next()).count
            let stopped = try await bytesOnceStopped { try await expectAnswer(of: base, session, front) }
            #expect(stopped < 64 << 20, "\(stopped) bytes were written to a loop that reads nothing")
            while read < stopped + 1 << 20 { read += try #require(try await chunks.next()).count }
            #expect(try await servers.feeds.written(mark) > stopped)
        }
        // The loop was left.
        try await servers.feeds.waitForEnd(mark)
    }

    /// The number of bytes written, once it stays the same while other calls are answered.
    private func bytesOnceStopped(whileCalling call: () async throws -> Void) async throws -> Int {
        var (written, before) = (0, -1)
        while written != before {
            before = written
            for _ in 0..<40 { try await call() }
            written = try await servers.feeds.written(mark)
        }
        return written
    }

    private func expectAnswer(of base: URL, _ session: Session, _ front: FeedFront) async throws {
        let response = await session.request(base.appendingPathComponent("ready")).outcome()
        #expect(response.response?.statusCode == 204)
        #expect(response.metrics?.networkProtocol == front.protocolName)
    }

    // MARK: The client's memory

    @Test(arguments: ["HTTP/1.1", "HTTP/2", "HTTP/1.1, gzip", "HTTP/2, gzip"])
    func aSlowReaderTakesNoMemory(wire: String) async throws {
        let base = wire.hasPrefix("HTTP/2") ? servers.nginxTLS : servers.nginx
        let path = wire.hasSuffix("gzip") ? "feeds/zeros?bytes=\(64 << 20)" : "feeds/flood/\(mark)?bytes=\(64 << 20)"
        let outcome = try await reading(path, from: base, others: servers.nginx)
        #expect(outcome.bytes == 64 << 20)
        #expect(outcome.extraBytes < 16 << 20, "\(outcome.extraBytes)")
        print("slow reader of a stream, \(wire): \(outcome.extraBytes >> 10) KiB, \(outcome.pauses) pauses")
    }

    /// Where other calls are read from the connection, libcurl 7.88 keeps what comes for the stream that is not, and ends it
    /// as soon as that is too much for it, unless all of it is taken at once.
    @Test func aSlowReaderAmongOtherCallsOfItsConnectionReadsEverything() async throws {
        let outcome = try await reading("static/large.bin", from: servers.nginxTLS, others: servers.nginxTLS)
        #expect(outcome.spoken == ["h2"])
        #expect(outcome.bytes == 100 << 20)
        print("slow reader of a stream among others: \(outcome.extraBytes >> 10) KiB, \(outcome.pauses) pauses")
    }

    /// Reads in a separate process, where nothing else allocates memory.
    private func reading(_ path: String, from base: URL, others: URL) async throws -> StreamReading.Outcome {
        let caller = try Conversation([Network.caller.path])
        let reading = StreamReading(
            url: try #require(URL(string: path, relativeTo: base.appendingPathComponent("/"))).absoluteURL,
            other: others.appendingPathComponent("ready"), authority: servers.certificateAuthority, seed: 17)
        try caller.tell(CallOrder.streamReading(reading).line())
        let line = try await caller.answer { _ in true }
        let outcome = try JSONDecoder().decode(StreamReading.Outcome.self, from: Data(line.utf8))
        #expect(outcome.failure == nil)
        #expect(outcome.pauses > 10)
        return outcome
    }
}
