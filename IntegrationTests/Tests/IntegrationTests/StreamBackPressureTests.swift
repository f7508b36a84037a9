import CallOrders
import Foundation
import Moya
import MoyaSession
import Testing

/// Streams whose reader is slower than their server, over every version and coding.
@Suite(.needsServers, .timeLimit(.minutes(15)))
struct StreamBackPressureTests {
    let servers: Servers
    /// The word of the test.
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    // MARK: The server's side

    @Test(arguments: FeedFront.allCases)
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

    /// With STREAM_MIB=2048 that many are sent each way, at ten megabytes a second.
    private static let wantedMiB = ProcessInfo.processInfo.environment["STREAM_MIB"].flatMap { Int($0) }
    private static let size = (wantedMiB ?? 64) << 20
    private static let bytesASecond = wantedMiB.map { _ in 10_000_000 }

    @Test(arguments: ["HTTP/1.1", "HTTP/2", "HTTP/1.1, gzip", "HTTP/2, gzip"])
    func aSlowReaderTakesNoMemory(wire: String) async throws {
        let base = wire.hasPrefix("HTTP/2") ? servers.nginxTLS : servers.nginx
        let path = wire.hasSuffix("gzip") ? "feeds/zeros?bytes=\(Self.size)" : "feeds/flood/\(mark)?bytes=\(Self.size)"
        let outcome = try await reading(path, from: base, others: base)
        #expect(outcome.spoken == [wire.hasPrefix("HTTP/2") ? "h2" : "http/1.1"])
        #expect(outcome.bytes == Self.size)
        #expect(outcome.extraBytes < 16 << 20, "\(outcome.extraBytes)")
        print("slow reader of a stream, \(wire): \(outcome.extraBytes >> 10) KiB, \(outcome.pauses) pauses")
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/2"]) func aSlowServerTakesNoMemory(wire: String) async throws {
        let base = wire == "HTTP/2" ? servers.nginxTLS : servers.nginx
        let rate = Self.bytesASecond ?? 50_000_000
        let sending = StreamSending(
            url: try #require(URL(string: "\(base.absoluteString)/feeds/sink?rate=\(rate)")), bytes: Self.size,
            authority: servers.certificateAuthority)
        let caller = try Conversation([Network.caller.path])
        try caller.send(CallOrder.streamSending(sending).line())
        let line = try await caller.answer { _ in true }
        let outcome = try JSONDecoder().decode(StreamSending.Outcome.self, from: Data(line.utf8))
        #expect(outcome.failure == nil)
        #expect(outcome.answer == "\(Self.size)")
        #expect(outcome.extraBytes < 16 << 20, "\(outcome.extraBytes)")
        print("slow server of a stream, \(wire): \(outcome.extraBytes >> 10) KiB in \(outcome.seconds) s")
    }

    @Test func aSlowReaderOfALargeFileAmongOtherCallsReadsEverything() async throws {
        let outcome = try await reading("static/large.bin", from: servers.nginxTLS, others: servers.nginxTLS)
        #expect(outcome.spoken == ["h2"])
        #expect(outcome.bytes == 100 << 20)
        #expect(outcome.extraBytes < 16 << 20, "\(outcome.extraBytes)")
        print("slow reader of a stream among others: \(outcome.extraBytes >> 10) KiB, \(outcome.pauses) pauses")
    }

    // MARK: Connections

    /// The first streams have connections of their own, two here, and the last share them.
    @Test func moreStreamsThanConnectionsAreAllRead() async throws {
        let transport = TransportConfiguration(
            maximumConnectionsPerHost: 2, certificateAuthorities: .file(servers.certificateAuthority))
        let provider = MoyaProvider<Call>(session: .with(transport))
        let mark = mark
        let base = servers.nginxTLS
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let call = Call.get(base, "/feeds/flood/\(mark)-\(number)", query: ["bytes": 4 << 20])
                    var count = 0
                    for try await chunk in try await provider.stream(call).bytes { count += chunk.count }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(total == 8 * 4 << 20)
    }

    /// Reads in a separate process, where nothing else allocates memory.
    private func reading(_ path: String, from base: URL, others: URL) async throws -> StreamReading.Outcome {
        let caller = try Conversation([Network.caller.path])
        let reading = StreamReading(
            url: try #require(URL(string: path, relativeTo: base.appendingPathComponent("/"))).absoluteURL,
            other: others.appendingPathComponent("ready"), authority: servers.certificateAuthority, seed: 17,
            bytesASecond: Self.bytesASecond.map { Double($0) })
        try caller.send(CallOrder.streamReading(reading).line())
        let line = try await caller.answer { _ in true }
        let outcome = try JSONDecoder().decode(StreamReading.Outcome.self, from: Data(line.utf8))
        #expect(outcome.failure == nil)
        #expect(outcome.pauses > 10)
        return outcome
    }
}
