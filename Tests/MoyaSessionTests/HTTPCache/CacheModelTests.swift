import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Random calls of many users through one cache, against a model of the server.
///
/// `CACHE_CALLS` in the environment is their number, 20,000 by default, and `CACHE_INTERLEAVINGS` that of the seeds of
/// interleavings for each store, 50 by default.
@Suite struct CacheModelTests {
    /// A server whose resources change: each response names its URL, its user and its version.
    private final class Server: Transport {
        private struct State {
            var versions: [String: Int] = [:]
            var held: [@Sendable () -> Void] = []
            var holds = false
            var requests = 0
        }

        private let state = Lock(State())

        /// The number of requests so far.
        var requests: Int { state.withLock { $0.requests } }

        func version(_ key: String) -> Int { state.withLock { $0.versions[key] ?? 0 } }
        func change(_ key: String) { state.withLock { $0.versions[key, default: 0] += 1 } }

        /// Delays responses, so that they arrive in another order.
        func hold(_ holds: Bool) { state.withLock { $0.holds = holds } }

        func release(_ generator: inout SeededGenerator) {
            let held = state.withLock { state in
                defer { state.held = [] }
                return state.held
            }
            for answer in held.shuffled(using: &generator) { answer() }
        }

        func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
            let user = request.fields.values(for: "authorization").first ?? ""
            let key = request.url + " " + user
            if request.method == "POST" { change(key) }
            let version = version(key)
            let tag = "\"\(version)\""
            let isConfirmed = request.fields.values(for: "if-none-match") == [tag]
            let exchange = Exchange(sink)
            let answer: @Sendable () -> Void = {
                exchange.send(
                    isConfirmed ? 304 : 200, [("ETag", tag), ("Cache-Control", "max-age=10")],
                    isConfirmed ? "" : "\(key) \(version)")
            }
            let isHeld = state.withLock { state in
                state.requests += 1
                if state.holds { state.held.append(answer) }
                return state.holds
            }
            if !isHeld { answer() }
            return exchange
        }

        private final class Exchange: TransportExchange {
            private let sink: Lock<(any TransportSink)?>

            init(_ sink: any TransportSink) { self.sink = Lock(sink) }

            private func take() -> (any TransportSink)? { sink.withLock { $0.take() } }

            func send(_ status: Int, _ fields: [(String, String)], _ body: String) {
                guard let sink = take() else { return }
                _ = sink.receive(.head(TransportResponseHead(status: status, fields: [HTTPField](fields))))
                let bytes = Array(body.utf8)
                if !bytes.isEmpty { bytes.withUnsafeBytes { _ = sink.receive(.chunk($0)) } }
                _ = sink.receive(.end(TransportEnd()))
            }

            func cancel() {
                let failure = TransportFailure(.cancelled, message: "cancelled")
                _ = take()?.receive(.end(TransportEnd(failure: failure)))
            }

            func pause() {}
            func resume() {}
        }
    }

    private func request(_ method: String, _ url: Int, _ user: Int) -> HTTPRequest {
        HTTPRequest(
            method: method, url: "http://example.com/\(url)",
            fields: [HTTPField(name: "Authorization", value: "user-\(user)")])
    }

    @Test func noAnswerCrossesBetweenUsers() {
        let server = Server()
        let cache = HTTPCache(store: MemoryCacheStore(limit: 60_000))
        let transport = CacheTransport(
            inner: server, cache: cache, policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        var generator = SeededGenerator(seed: 50)
        var crossed = 0
        let calls = Self.number("CACHE_CALLS", else: 20_000)
        for _ in 0..<calls {
            let (url, user) = (Int.random(in: 0..<5, using: &generator), Int.random(in: 0..<50, using: &generator))
            let sink = RecordingSink()
            _ = transport.start(request("GET", url, user), delivering: sink)
            if !sink.text.hasPrefix("http://example.com/\(url) user-\(user) ") || sink.ends != 1 { crossed += 1 }
        }
        #expect(crossed == 0)
        #expect(server.requests < calls, "the cache answered nothing")
    }

    private static func number(_ name: String, else standard: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
    }

    @Test func everyAnswerIsOneThatTheServerGaveWithinItsTime() {
        for seed in 0..<Self.number("CACHE_INTERLEAVINGS", else: 50) {
            let wrong = wrongAnswers(of: MemoryCacheStore(limit: 8_000), seed: seed)
            #expect(wrong.isEmpty, "seed \(seed)")
        }
    }

    @Test func everyAnswerFromFilesIsOneThatTheServerGaveWithinItsTime() throws {
        for seed in 0..<Self.number("CACHE_INTERLEAVINGS", else: 50) {
            let directory = try TestDirectory()
            let store = DiskCacheStore(
                at: directory.url.path, limit: 20_000, memoryLimit: 2_000, encryption: nil,
                reporter: { Issue.record($0) })
            let wrong = wrongAnswers(of: store, seed: seed)
            #expect(wrong.isEmpty, "seed \(seed)")
            store.flush()
        }
    }

    /// Stores, evicts, changes, invalidates, revalidates, cancels and reorders in an order that the seed determines.
    private func wrongAnswers(of store: any CacheStore, seed: Int) -> [String] {
        let server = Server()
        let time = SharedTime()
        let cache = HTTPCache(store: store) { time.now }
        let transport = CacheTransport(
            inner: server, cache: cache, policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        var generator = SeededGenerator(seed: UInt64(seed))
        /// The versions of each resource, with the time at which they were replaced.
        var replaced: [String: [Int: Double]] = [:]
        var waiting: [(sink: RecordingSink, key: String, asked: Double, handle: any TransportExchange)] = []
        var isHolding = false
        var wrong: [String] = []
        var calls = 0
        func check(_ sink: RecordingSink, _ key: String, _ asked: Double) {
            guard sink.ends == 1 else { return wrong.append("\(sink.ends) ends") }
            if sink.failure == .cancelled { return }
            let prefix = "\(key) "
            guard sink.text.hasPrefix(prefix), let version = Int(sink.text.dropFirst(prefix.count)) else {
                return wrong.append("\(sink.text) for \(key)")
            }
            if let end = replaced[key]?[version], end + 10 < asked { wrong.append("\(sink.text) is outdated") }
        }
        for _ in 0..<400 {
            let (url, user) = (Int.random(in: 0..<8, using: &generator), Int.random(in: 0..<3, using: &generator))
            let key = "http://example.com/\(url) user-\(user)"
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: time.advance(by: Double(Int.random(in: 0..<8, using: &generator)))
            case 1:
                replaced[key, default: [:]][server.version(key)] = time.now
                server.change(key)
            case 2 where !isHolding:
                replaced[key, default: [:]][server.version(key)] = time.now - 11
                _ = transport.start(request("POST", url, user), delivering: RecordingSink())
            case 3:
                isHolding = true
                server.hold(true)
            case 4:
                isHolding = false
                server.hold(false)
                server.release(&generator)
                for call in waiting { check(call.sink, call.key, call.asked) }
                waiting = []
            case 5: waiting.randomElement(using: &generator)?.handle.cancel()
            case 6: cache.store.removeAll(for: "http://example.com/\(url)")
            default:
                let sink = RecordingSink()
                calls += 1
                let handle = transport.start(request("GET", url, user), delivering: sink)
                if sink.ends == 0 { waiting.append((sink, key, time.now, handle)) } else { check(sink, key, time.now) }
            }
        }
        server.hold(false)
        server.release(&generator)
        for call in waiting { check(call.sink, call.key, call.asked) }
        if server.requests >= calls { wrong.append("the cache answered nothing") }
        return wrong
    }
}
