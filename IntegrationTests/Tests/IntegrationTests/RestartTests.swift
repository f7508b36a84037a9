import CallOrders
import Foundation
import Moya
import Testing

/// An nginx that is stopped and restarted with 64 calls in flight, with an origin behind it that records requests.
@Suite(.needsServers, .serialized, .timeLimit(.minutes(5)))
struct RestartTests {
    /// The way in which the server ends.
    enum Way: String, CaseIterable, Sendable {
        /// At once; connections are closed.
        case stopped
        /// After the calls that it has.
        case drained
        /// Killed.
        case crashed

        var signal: String {
            switch self {
            case .stopped: "TERM"
            case .drained: "QUIT"
            case .crashed: "KILL"
            }
        }
    }

    let servers: Servers
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    private func url(_ nginx: KeptServer, isHTTP2: Bool) throws -> URL {
        isHTTP2 ? try #require(nginx.tlsURL) : nginx.url
    }

    @Test(arguments: Way.allCases, [false, true])
    func everyCallEndsOnceAndSaysTheTruth(way: Way, isHTTP2: Bool) async throws {
        let nginx = try await KeptServer(way.rawValue, of: servers)
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        let ledger = CallLedger(mark: mark)
        let load = ledger.load(provider, at: try url(nginx, isHTTP2: isHTTP2), workers: 64)
        for _ in 0..<3 {
            let before = try await arrived()
            _ = try await servers.origin.seen(beginning: mark, count: before + 100)
            try await nginx.stop(way.signal)
            try await nginx.start()
        }
        let before = try await arrived()
        _ = try await servers.origin.seen(beginning: mark, count: before + 100)
        await load.finish()

        let seen = try await servers.origin.seen(beginning: mark)
        var sentTwice = 0
        for id in ledger.ids {
            #expect(ledger.completions(of: id) == 1)
            let arrivals = seen[id] ?? 0
            switch ledger.ending(of: id) {
            case .status(200): #expect(arrivals >= 1)
            // A request that could not be sent did not arrive.
            case .failure("connect"), .failure("tls handshake"): #expect(arrivals == 0, "\(id)")
            case .failure("reset"), .failure("truncated"): break
            case let other: Issue.record("\(id): \(other as Any)")
            }
            if id.contains("-POST-"), arrivals > 1 { sentTwice += 1 }
        }
        #expect(sentTwice == 0)
        if way == .drained {
            // A request that crosses the end of an idle connection was sent, though it is never received.
            #expect(Set(ledger.failures.keys).isSubset(of: ["connect", "tls handshake", "reset"]))
            for id in ledger.ids where (seen[id] ?? 0) > 0 { #expect(ledger.ending(of: id) == .status(200), "\(id)") }
        }
        print("\(way.rawValue), HTTP/\(isHTTP2 ? "2" : "1.1"): \(ledger.summary)")
        try await expectSuccess(at: try url(nginx, isHTTP2: isHTTP2), provider)
    }

    @Test(arguments: Way.allCases, [false, true])
    func withRetriesNoCallIsLost(way: Way, isHTTP2: Bool) async throws {
        let nginx = try await KeptServer(way.rawValue, of: servers)
        let provider = MoyaProvider<Call>(
            session: .trusting(servers),
            middleware: [
                RetryMiddleware(
                    attempts: 200, backoff: .constant(.milliseconds(20)),
                    budget: RetryBudget(ratio: 1, reserve: 100_000, period: .seconds(1)))
            ])
        let ledger = CallLedger(mark: mark)
        let load = ledger.load(provider, at: try url(nginx, isHTTP2: isHTTP2), workers: 64, methods: [.get])
        for _ in 0..<3 {
            let before = try await arrived()
            _ = try await servers.origin.seen(beginning: mark, count: before + 100)
            try await nginx.stop(way.signal)
            try await nginx.start()
        }
        await load.finish()
        #expect(ledger.failures.isEmpty, "\(ledger.failures)")
        #expect(ledger.ids.allSatisfy { ledger.ending(of: $0) == .status(200) })
    }

    @Test(arguments: Way.allCases, [false, true])
    func deadIdleConnectionsLoseNoCall(way: Way, isHTTP2: Bool) async throws {
        let nginx = try await KeptServer(way.rawValue, of: servers)
        let base = try url(nginx, isHTTP2: isHTTP2)
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        for _ in 0..<3 {
            // Six connections, or one, are open and idle after this.
            try await expectSuccess(at: base, provider)
            try await nginx.stop(way.signal)
            try await nginx.start()
            try await expectSuccess(at: base, provider)
        }
        #expect(try await servers.origin.seen(beginning: mark).values.allSatisfy { $0 == 1 })
    }

    private func arrived() async throws -> Int {
        try await servers.origin.seen(beginning: mark).values.reduce(0, +)
    }

    private func expectSuccess(at base: URL, _ provider: MoyaProvider<Call>) async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<12 {
                let call = Call(
                    baseURL: base, path: "/slowly/\(mark)-last-\(UInt64.random(in: 0 ... .max))", method: .post,
                    task: .requestData(Data("body".utf8)))
                group.addTask { try await provider.request(call).statusCode }
            }
            for try await status in group { #expect(status == 200) }
        }
    }
}

/// Requests on a reused connection whose server closes it instead of responding.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct HangUpTests {
    let servers: Servers
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    /// RFC 9110 section 9.2.2: a client should not do this by itself.
    @Test(arguments: [Moya.Method.post, .patch], [RequestTask.requestPlain, .requestData(Data("body".utf8))])
    func aCallThatMayNotBeMadeTwiceIsSentOnce(method: Moya.Method, task: RequestTask) async throws {
        let provider = MoyaProvider<Call>()
        _ = try await provider.request(.get(servers.origin.url, "/ready"))
        let call = Call(baseURL: servers.origin.url, path: "/dropped/\(mark)", method: method, task: task)
        let error = await #expect(throws: MoyaError.self) { try await provider.request(call) }
        #expect(error?.transportFailure?.kind == .reset)
        let count = try await servers.origin.seen(beginning: mark)[mark]
        #expect(count == 1)
    }

    @Test func unresendableRequestIsReportedAsSent() async throws {
        let nginx = try await KeptServer("last", of: servers)
        let provider = MoyaProvider<Call>()
        _ = try await provider.request(.get(nginx.url, "/ready"))
        let call = Call(baseURL: nginx.url, path: "/held/\(mark)")
        let waiting = _Concurrency.Task { try await provider.request(call) }
        _ = try await servers.origin.seen(beginning: mark, count: 1)
        // It has arrived; nothing listens where it would be sent again.
        try await nginx.stop("KILL")
        let error = await #expect(throws: MoyaError.self) { try await waiting.value }
        #expect(error?.transportFailure?.kind == .reset, "\(error?.transportFailure as Any)")
        try await servers.origin.open(mark)
    }
}
