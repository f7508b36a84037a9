import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Equal requests in flight, which share one exchange.
@Suite struct CoalescedExchangeTests {
    static let fresh = [("Cache-Control", "max-age=60")]
    let wire = SteppedTransport()
    let time = SharedTime()

    func transport(staleIfError: Duration? = nil) -> CacheTransport {
        let cache = HTTPCache(store: MemoryCacheStore(limit: 1 << 20), staleIfError: staleIfError) { [time] in time.now
        }
        return CacheTransport(
            inner: wire, cache: cache, policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
    }

    func request(_ fields: [(String, String)] = [], timeouts: Timeouts = Timeouts()) -> HTTPRequest {
        HTTPRequest(method: "GET", url: "https://example.com/a", fields: [HTTPField](fields), timeouts: timeouts)
    }

    @Test func aThousandEqualRequestsAreOneExchange() {
        let transport = transport()
        let sinks = (0..<1000).map { _ in RecordingSink() }
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        #expect(wire.exchanges.count == 1)
        wire.exchanges[0].respond(200, Self.fresh, "one")
        #expect(sinks.allSatisfy { $0.text == "one" && $0.ends == 1 && $0.failure == nil })
    }

    @Test func requestsWithFieldsInAnotherOrderAreEqual() {
        let transport = transport()
        let fields = [("X-Api-Key", "k"), ("Accept", "a"), ("X-Page", "1")]
        for fields in [fields, fields.reversed()] {
            _ = transport.start(request(fields), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 1)
    }

    /// Two spellings of a letter, which are equal strings.
    @Test func requestsWithOtherBytesAreNotEqual() {
        let transport = transport()
        for value in ["\u{e9}", "e\u{301}"] {
            _ = transport.start(request([("X-Page", value)]), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func sessionsShareNoExchange() {
        let cache = HTTPCache(store: MemoryCacheStore(limit: 1 << 20)) { [time] in time.now }
        let stages = (0..<2).map { _ in
            CacheTransport(
                inner: wire, cache: cache, policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
        }
        for stage in stages { _ = stage.start(request(), delivering: RecordingSink()) }
        #expect(wire.exchanges.count == 2)
    }

    @Test(arguments: [304, 200]) func requestsShareAgainAfterAResponseThatWasForOne(status: Int) {
        let transport = transport()
        var sent = 0
        func start(_ count: Int, _ status: Int, _ fields: [(String, String)]) -> Int {
            for _ in 0..<count { _ = transport.start(request(), delivering: RecordingSink()) }
            defer { sent = wire.exchanges.count }
            for index in sent..<wire.exchanges.count {
                wire.exchanges[index].respond(status, fields, status == 304 ? "" : "body")
            }
            return wire.exchanges.count - sent
        }
        let fresh = Self.fresh + [("ETag", "\"1\"")]
        #expect(start(2, 200, fresh) == 1)
        time.advance(by: 61)
        #expect(start(1, 503, []) == 1)
        #expect(start(1, status, fresh) == 1)
        time.advance(by: 61)
        #expect(start(3, 200, fresh) == 1)
    }

    @Test func theStatusSaysThatAResponseWasShared() {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(), delivering: sink) }
        wire.exchanges[0].respond(200, Self.fresh, "one")
        #expect(sinks.map { $0.status?.isCollapsed } == [false, true])
    }

    @Test func anySubsetOfRequestsMayBeCancelled() {
        let transport = transport()
        let sinks = (0..<10).map { _ in RecordingSink() }
        let handles = sinks.map { transport.start(request(), delivering: $0) }
        for index in [0, 3, 9] { handles[index].cancel() }
        wire.exchanges[0].respond(200, Self.fresh, "one")
        for (index, sink) in sinks.enumerated() {
            #expect(sink.ends == 1)
            #expect(sink.text == ([0, 3, 9].contains(index) ? "" : "one"))
        }
        #expect(wire.exchanges[0].cancellations == 0)
    }

    @Test func theLastCancellationCancelsTheExchange() {
        let transport = transport()
        let handles = (0..<3).map { _ in transport.start(request(), delivering: RecordingSink()) }
        for handle in handles { handle.cancel() }
        #expect(wire.exchanges[0].cancellations == 1)
        _ = transport.start(request(), delivering: RecordingSink())
        #expect(wire.exchanges.count == 2)
    }

    @Test func usersShareNoExchange() {
        let transport = transport()
        for user in ["a", "b"] {
            _ = transport.start(request([("Authorization", user)]), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func requestsWithOtherClientCertificatesShareNothing() {
        let cache = HTTPCache.memory()
        for digest in ["a", "b", nil] {
            let inner = CertifiedTransport(inner: wire, clientIdentityDigest: digest)
            let transport = CacheTransport(
                inner: inner, cache: cache, policy: .useProtocolCachePolicy, queue: DispatchQueue(label: "test"))
            let stored = RecordingSink()
            _ = transport.start(request(), delivering: stored)
            #expect(stored.ends == 0)
        }
        for exchange in wire.exchanges.all { exchange.respond(200, Self.fresh, "one") }
        #expect(wire.exchanges.count == 3)
        #expect(cache.store.responses(for: "https://example.com/a").count == 3)
    }

    @Test func requestsOfOtherFieldsShareNoExchange() {
        let transport = transport()
        for language in ["de", "en"] {
            _ = transport.start(request([("Accept-Language", language)]), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func requestsOfOtherNetworkPermissionsShareNoExchange() throws {
        let transport = transport()
        for allows in [true, false, true] {
            var request = URLRequest.to("https://example.com/a")
            request.allowsCellularAccess = allows
            _ = transport.start(HTTPRequest(request), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func requestsWithBodiesShareNoExchange() {
        let transport = transport()
        for text in ["a", "b", "b"] {
            var request = request()
            request.body = .data(Data(text.utf8))
            _ = transport.start(request, delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 3)
    }

    @Test func requestsOfOtherIdleLimitsShareNoExchange() {
        let transport = transport()
        for bound in [1.0, 2] {
            _ = transport.start(request(timeouts: Timeouts(idle: bound)), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 2)
    }

    @Test func requestsOfOtherTotalLimitsShareTheExchange() {
        let transport = transport()
        for limit in [30.0, 1, 60] {
            _ = transport.start(request(timeouts: Timeouts(total: limit)), delivering: RecordingSink())
        }
        #expect(wire.exchanges.count == 1)
        #expect(wire.exchanges[0].request.timeouts.total == nil)
    }

    @Test(arguments: [0, 1], [true, false])
    func aCallerEndsAtItsOwnLimit(early: Int, hasHead: Bool) async throws {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        for (index, sink) in sinks.enumerated() {
            // The second caller joins before the first one's limit passes.
            let timeouts = Timeouts(total: index == early ? 0.5 : nil)
            _ = transport.start(request(timeouts: timeouts), delivering: sink)
        }
        if hasHead { wire.exchanges[0].head(200, Self.fresh) }
        try await eventually { sinks[early].ends > 0 }
        #expect(sinks[early].failure == .timeout(.total))
        if !hasHead { wire.exchanges[0].head(200, Self.fresh) }
        wire.exchanges[0].chunk("one")
        wire.exchanges[0].end()
        #expect(sinks.map(\.ends) == [1, 1])
        #expect(sinks[1 - early].text == "one")
        #expect(sinks[1 - early].failure == nil)
        #expect(wire.exchanges[0].cancellations == 0)
    }

    @Test func theLimitOfTheLastCallerCancelsTheExchange() async throws {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks { _ = transport.start(request(timeouts: Timeouts(total: 0.01)), delivering: sink) }
        try await eventually { wire.exchanges[0].cancellations != 0 }
        for sink in sinks { try await eventually { sink.ends > 0 } }
        #expect(sinks.map(\.failure) == [.timeout(.total), .timeout(.total)])
    }

    @Test func aCallerWhoseTimeIsOverGetsAStaleResponse() async throws {
        let transport = transport(staleIfError: .days(1))
        _ = transport.start(request(), delivering: RecordingSink())
        wire.exchanges[0].respond(200, Self.fresh, "one")
        time.advance(by: 100)
        let sink = RecordingSink()
        _ = transport.start(request(timeouts: Timeouts(total: 0.01)), delivering: sink)
        try await eventually { sink.ends > 0 }
        #expect(sink.text == "one")
        #expect(sink.failure == nil)
        #expect(sink.status?.detail == "stale-if-error")
        #expect(wire.exchanges[1].cancellations == 1)
    }

    @Test func aCallerThatIsOverHasNoTimer() {
        let transport = transport()
        weak var sink: RecordingSink?
        do {
            let made = RecordingSink()
            sink = made
            _ = transport.start(request(timeouts: Timeouts(total: 900)), delivering: made)
            wire.exchanges[0].respond(200, Self.fresh, "one")
        }
        #expect(sink == nil)
    }

    @Test func aCallerFarBehindCostsTheOthersNoBytes() {
        let transport = transport()
        let sinks = [RecordingSink(), RecordingSink()]
        let handles = sinks.map { transport.start(request(), delivering: $0) }
        wire.exchanges[0].head(200, Self.fresh)
        handles[0].pause()
        let megabyte = String(repeating: "a", count: 1 << 20)
        for _ in 0..<20 { wire.exchanges[0].chunk(megabyte) }
        wire.exchanges[0].end()
        handles[0].resume()
        #expect(sinks.map(\.body.count) == [20 << 20, 20 << 20])
        #expect(sinks.map(\.ends) == [1, 1])
    }

    @Test func aCallerFarBehindStopsNoOther() {
        let transport = transport()
        let handles = [RecordingSink(), RecordingSink()].map { transport.start(request(), delivering: $0) }
        wire.exchanges[0].head(200, Self.fresh)
        handles[0].pause()
        let megabyte = Data(repeating: 0, count: 1 << 20)
        let demands = (0..<20).map { _ in wire.exchanges[0].chunk(megabyte) }
        #expect(demands.allSatisfy { $0 == .more })
    }
}

/// A transport that shows a certificate to servers.
private struct CertifiedTransport: Transport {
    let inner: SteppedTransport
    let clientIdentityDigest: String?

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        inner.start(request, delivering: sink)
    }
}
