import CallOrders
import Foundation
import Moya
import MoyaSession
import Testing

/// Events on one stream of a connection, and their effect on the others; Apache gives a second opinion beside nginx.
@Suite(.needsServers, .serialized, .timeLimit(.minutes(5)))
struct HTTP2StreamTests {
    let servers: Servers
    /// Begins the words of the test.
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    func apache() async throws -> KeptServer { try await KeptServer("apache", of: servers) }

    private func gated(_ base: URL, _ session: Session, before: Int = 100_000, after: Int = 100_000) -> DataRequest {
        session.request(
            base.appendingPathComponent("gated/\(mark)"), parameters: ["before": before, "after": after],
            encoding: URLEncoding.queryString)
    }

    private func small(_ base: URL, _ session: Session) async -> AFDataResponse<Data?> {
        await session.request(base.appendingPathComponent("taken/\(uniqueMark())")).outcome()
    }

    // MARK: GOAWAY

    @Test func aStreamInFlightOutlivesAGoAway() async throws {
        let apache = try await apache()
        let session = Session.trusting(servers)
        let end = await gated(apache.url, session).outcomeOnceUnderWay()
        // Apache sends GOAWAY on its connections, and continues with new processes.
        try await apache.signal("USR1")
        for _ in 0..<5 { #expect(await small(apache.url, session).response?.statusCode == 200) }
        try await servers.origin.open(mark)
        let whole = await end.value
        expectWhole(whole)
        #expect(whole.metrics?.networkProtocol == "h2")
        let next = await small(apache.url, session)
        #expect(next.response?.statusCode == 200, "\(next.error as Any)")
    }

    @Test func aConnectionAfterAGoAwayCarriesNoNewCall() async throws {
        let apache = try await apache()
        let session = Session.trusting(servers)
        let end = await gated(apache.url, session).outcomeOnceUnderWay()
        #expect(await small(apache.url, session).metrics?.reusedConnection == true)
        try await apache.signal("USR1")
        // Apache reports it a moment later.
        var isNew = false
        while !isNew {
            let response = await small(apache.url, session)
            try #require(response.response?.statusCode == 200, "\(response.error as Any)")
            isNew = response.metrics?.reusedConnection == false
        }
        try await servers.origin.open(mark)
        expectWhole(await end.value)
    }

    /// nginx does, see `RestartTests`; and where Apache does not, no half of a response is reported as all of it.
    private func expectWhole(_ response: AFDataResponse<Data?>) {
        withKnownIssue("Apache at times ends the connection of a stream that is under way", isIntermittent: true) {
            #expect(response.error == nil)
        }
        if let error = response.error {
            #expect(error.transportFailure?.kind == .truncated)
        } else {
            #expect(response.data?.count == 200_000)
        }
    }

    @Test func gracefulRestartsUnderLoadEndEveryCallOnce() async throws {
        let apache = try await apache()
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        let ledger = CallLedger(mark: mark)
        let load = ledger.load(provider, at: apache.url, workers: 32)
        for round in 1...3 {
            _ = try await servers.origin.seen(beginning: mark, count: round * 200)
            try await apache.signal("USR1")
        }
        _ = try await servers.origin.seen(beginning: mark, count: 800)
        await load.finish()
        let seen = try await servers.origin.seen(beginning: mark)
        // Apache may close a connection of many streams before the last of them is over: those had been sent.
        #expect(Set(ledger.failures.keys).isSubset(of: ["reset", "truncated"]), "\(ledger.failures)")
        print("graceful restarts of Apache, HTTP/2: \(ledger.summary)")
        for id in ledger.ids {
            #expect(ledger.completions(of: id) == 1)
            if ledger.ending(of: id) == .status(200) { #expect((seen[id] ?? 0) >= 1) }
            if id.contains("-POST-") { #expect((seen[id] ?? 0) <= 1, "\(id)") }
        }
    }

    /// Calls wait for connections that take ten each, and are refused by one after another.
    @Test(arguments: [8, 200])
    func aServerThatEndsConnectionsEarlyLosesNoCall(workers: Int) async throws {
        let failures = await failures(ofCalls: 200, workers: workers)
        #expect(failures.isEmpty, "\(failures.count)")
        let entries = try await servers.accessLog.entries(marked: mark, count: 200)
        #expect(entries.count == 200)
        #expect(Set(entries.map(\.httpVersion)) == ["HTTP/2.0"])
    }

    private func failures(ofCalls count: Int, workers: Int) async -> [String] {
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        let call = Call.get(servers.nginxShortLived, "/static/small.json", query: ["m": mark])
        return await withTaskGroup(of: [String].self) { group in
            for _ in 0..<workers {
                group.addTask {
                    var failures: [String] = []
                    for _ in 0..<(count / workers) {
                        do throws(MoyaError) {
                            _ = try await provider.request(call)
                        } catch {
                            failures.append("\(error.transportFailure as Any)")
                        }
                    }
                    return failures
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test func aStoppedServerEndsItsStreamsWithAnError() async throws {
        let apache = try await apache()
        let session = Session.trusting(servers)
        let end = await gated(apache.url, session).outcomeOnceUnderWay()
        try await apache.stop("TERM")
        let failure = try #require(await end.value.error?.transportFailure)
        #expect(failure.kind == .reset || failure.kind == .truncated, "\(failure)")
        try await servers.origin.open(mark)
        try await apache.start()
        let next = await small(apache.url, session)
        #expect(next.response?.statusCode == 200, "\(next.error as Any)")
    }

    // MARK: RST_STREAM

    @Test func aStreamThatIsResetLeavesTheOthersAlone() async throws {
        let apache = try await apache()
        let session = Session.trusting(servers)
        let other = "\(mark)-other"
        let broken = session.request(
            apache.url.appendingPathComponent("broken/\(other)"), parameters: ["after": 50_000],
            encoding: URLEncoding.queryString)
        let whole = await gated(apache.url, session).outcomeOnceUnderWay()
        let half = await broken.outcomeOnceUnderWay()
        // The origin resets its connection now, and Apache the stream.
        try await servers.origin.open(other)
        let reset = await half.value
        let failure = try #require(reset.error?.transportFailure)
        #expect(failure.kind == .reset, "\(failure)")
        #expect(reset.response?.statusCode == 200)
        #expect(await small(apache.url, session).metrics?.reusedConnection == true)
        try await servers.origin.open(mark)
        #expect(await whole.value.data?.count == 200_000)
    }

    @Test func aDownloadWhoseStreamIsResetLeavesNoFile() async throws {
        let apache = try await apache()
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        try await servers.origin.open(mark)
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("half")
            let call = Call(
                baseURL: apache.url, path: "/broken/\(mark)",
                task: .downloadParameters(
                    parameters: ["after": 50_000], encoding: URLEncoding.queryString,
                    destination: { _, _ in (file, []) }
                ))
            let error = await #expect(throws: MoyaError.self) { try await provider.request(call) }
            #expect(error?.transportFailure?.kind == .reset)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    // MARK: Flow control

    @Test(arguments: ["nginx", "apache"])
    func slowReaderHoldsUpNoOtherCallAndFillsNoMemory(server: String) async throws {
        let apache = try await apache()
        let (bytes, small, large): (Int, URL, URL)
        if server == "nginx" {
            bytes = 100 << 20
            large = servers.nginxTLS.appendingPathComponent("static/large.bin")
            small = servers.nginxTLS.appendingPathComponent("static/small.json")
        } else {
            bytes = 64 << 20
            large = try #require(URL(string: "gated/\(mark)?before=\(bytes)", relativeTo: apache.url)).absoluteURL
            small = apache.url.appendingPathComponent("taken/\(mark)-small")
            try await servers.origin.open(mark)
        }
        // As many streams as libcurl puts on a connection; in a separate process, where only they allocate memory.
        let caller = try Conversation([Network.caller.path])
        let order = CallOrder.slowReading(
            SlowReading(large: large, small: small, others: 90, authority: servers.certificateAuthority))
        try caller.send(order.line())
        let line = try await caller.answer { _ in true }
        let outcome = try JSONDecoder().decode(SlowReading.Outcome.self, from: Data(line.utf8))
        #expect(outcome.failure == nil)
        #expect(outcome.spoken == ["h2"])
        #expect(outcome.othersAnswered == 90)
        #expect(outcome.othersOnTheConnection == 90)
        #expect(outcome.bytes == bytes)
        #expect(outcome.growthWhilePaused < 40 << 20, "\(outcome.growthWhilePaused)")
        print("slow reader, \(server): the process grew by \(outcome.growthWhilePaused >> 10) KiB")
    }
}
