import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stored bodies in files with damage after their first block, which is found during delivery.
@Suite struct RestOfBodyTests {
    private let directory: TestDirectory
    private let wire = SteppedTransport()
    private let queue = DispatchQueue(label: "test")
    private let store: DiskCacheStore
    private let transport: CacheTransport

    init() throws {
        directory = try TestDirectory()
        store = DiskCacheStore(at: directory.url.path, limit: 64 << 20, encryption: nil) { _ in }
        transport = CacheTransport(
            inner: wire, cache: HTTPCache(store: store), policy: .useProtocolCachePolicy, queue: queue)
    }

    private static let body = String(repeating: "0123456789", count: 120_000)
    private static let fields = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    private func get(_ fields: [(String, String)] = []) -> (sink: RecordingSink, handle: any TransportExchange) {
        let sink = RecordingSink()
        let request = HTTPRequest(method: "GET", url: "https://a/", fields: [HTTPField](fields))
        return (sink, transport.start(request, delivering: sink))
    }

    /// Stores the body, and changes a byte in the middle of its file.
    private func storeDamaged(_ fields: [(String, String)] = fields) throws {
        _ = get()
        wire.exchanges[0].respond(200, fields, Self.body)
        store.flush()
        let name = try #require(directory.names.first { $0.hasSuffix(".body") })
        let file = directory.url.appendingPathComponent(name)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
    }

    /// Waits for the request that follows the damage.
    private func waitForRequest(_ count: Int) async throws { try await eventually { wire.exchanges.count >= count } }

    @Test func theServerDeliversTheRest() async throws {
        try storeDamaged()
        let (sink, _) = get()
        try await waitForRequest(2)
        #expect(wire.exchanges[1].request.fields.contains(HTTPField(name: "If-Match", value: "\"1\"")))
        wire.exchanges[1].respond(200, Self.fields, Self.body)
        #expect((sink.text == Self.body) == true)
        #expect(sink.ends == 1)
        #expect(sink.failure == nil)
        #expect(get().sink.ends == 0)
    }

    @Test(arguments: [200, 412, 500]) func anotherBodyIsNotAppended(status: Int) async throws {
        try storeDamaged()
        let (sink, _) = get()
        try await waitForRequest(2)
        wire.exchanges[1].respond(status, Self.fields, String(Self.body.dropFirst() + "0"))
        #expect(sink.failure == .truncated)
        #expect(Self.body.hasPrefix(sink.text) == true)
        #expect(sink.ends == 1)
    }

    @Test func aBodyOfAnotherStatusIsNotAppended() async throws {
        try storeDamaged()
        let (sink, _) = get()
        try await waitForRequest(2)
        wire.exchanges[1].respond(203, Self.fields, Self.body)
        #expect(sink.failure == .truncated)
    }

    @Test func aBodyOfAnotherTagIsNotAppended() async throws {
        try storeDamaged()
        let (sink, _) = get()
        try await waitForRequest(2)
        wire.exchanges[1].respond(200, [("ETag", "\"2\"")], Self.body)
        #expect(sink.failure == .truncated)
    }

    @Test func anotherVersionIsNotLoadedToItsEnd() async throws {
        try storeDamaged()
        let (sink, _) = get()
        try await waitForRequest(2)
        wire.exchanges[1].head(200, [("ETag", "\"2\"")])
        #expect(sink.failure == .truncated)
        #expect(wire.exchanges[1].cancellations == 1)
        wire.exchanges[1].end()
        #expect(sink.ends == 1)
    }

    @Test func aBodyWhoseKeyIsLockedDuringItsDeliveryStaysStored() throws {
        struct Locked: Error {}
        let isLocked = Lock(false)
        let encryption = HTTPCache.Encryption(
            seal: { $0 }, open: { if isLocked.value { throw Locked() } else { return $0 } })
        let store = DiskCacheStore(at: directory.url.path, limit: 64 << 20, memoryLimit: 0, encryption: encryption) {
            _ in
        }
        let cache = HTTPCache(store: store)
        let transport = CacheTransport(inner: wire, cache: cache, policy: .useProtocolCachePolicy, queue: queue)
        var request = HTTPRequest(method: "GET", url: "https://a/")
        _ = transport.start(request, delivering: RecordingSink())
        wire.exchanges[0].respond(200, Self.fields, Self.body)
        store.flush()
        request.isOffline = true
        let sink = RecordingSink()
        sink.answer(.wait)
        let handle = transport.start(request, delivering: sink)
        cache.queue.sync(flags: .barrier) {}
        isLocked.set(true)
        sink.answer(.more)
        handle.resume()
        cache.queue.sync(flags: .barrier) {}
        #expect(sink.failure == .truncated)
        #expect(wire.exchanges.count == 1)
        isLocked.set(false)
        #expect(store.responses(for: "https://a/").count == 1)
    }

    @Test(arguments: [-1, 1]) func aBodyOfAnotherLengthIsAnError(difference: Int) async throws {
        try storeDamaged()
        let (sink, _) = get()
        try await waitForRequest(2)
        let body = difference < 0 ? String(Self.body.dropLast()) : Self.body + "0"
        wire.exchanges[1].respond(200, Self.fields, body)
        #expect(sink.failure == .truncated)
        #expect(sink.ends == 1)
    }

    @Test(arguments: [[], [("ETag", "W/\"1\"")]])
    func aBodyWithoutAStrongTagIsRecognizedByItsBytes(validators: [(String, String)]) async throws {
        let fields = [("Cache-Control", "max-age=60")] + validators
        try storeDamaged(fields)
        let (sink, _) = get()
        try await waitForRequest(2)
        #expect(!wire.exchanges[1].request.fields.contains("if-match"))
        wire.exchanges[1].head(200, fields)
        // In pieces of another length than the stored blocks.
        for _ in 0..<120 { wire.exchanges[1].chunk(String(Self.body.prefix(10_000))) }
        wire.exchanges[1].end()
        #expect((sink.text == Self.body) == true)
        #expect(sink.failure == nil)
    }

    @Test func theServerDeliversTheRestOfARange() async throws {
        try storeDamaged()
        let (sink, _) = get([("Range", "bytes=5-1199994")])
        try await waitForRequest(2)
        wire.exchanges[1].respond(
            206, Self.fields + [("Content-Range", "bytes 5-1199994/1200000")],
            String(Self.body.dropFirst(5).prefix(1_199_990)))
        #expect((sink.text == Self.body.dropFirst(5).prefix(1_199_990)) == true)
        #expect(sink.failure == nil)
    }

    @Test func anotherRangeIsNotAppended() async throws {
        try storeDamaged()
        let (sink, _) = get([("Range", "bytes=5-1199994")])
        try await waitForRequest(2)
        wire.exchanges[1].respond(
            206, Self.fields + [("Content-Range", "bytes 6-1199995/1200000")],
            String(Self.body.dropFirst(5).prefix(1_199_990)))
        #expect(sink.failure == .truncated)
    }

    @Test func theServerDeliversTheRestOfAConfirmedBody() async throws {
        try storeDamaged()
        let (sink, _) = get([("Cache-Control", "no-cache")])
        wire.exchanges[1].respond(304, Self.fields)
        try await waitForRequest(3)
        wire.exchanges[2].respond(200, Self.fields, Self.body)
        #expect((sink.text == Self.body) == true)
        #expect(sink.failure == nil)
    }

    @Test func aCancellationReachesTheServer() async throws {
        try storeDamaged()
        let (sink, handle) = get()
        try await waitForRequest(2)
        handle.cancel()
        try await eventually { sink.ends > 0 }
        #expect(sink.failure == .cancelled)
        #expect(wire.exchanges[1].cancellations == 1)
    }

    /// The exchange of the rest is not known yet when the resumption comes.
    @Test(.timeLimit(.minutes(1))) func aResumptionWhileTheRestStartsReachesTheServer() async throws {
        try storeDamaged()
        let handle = Lock<(any TransportExchange)?>(nil)
        let isGiven = DispatchSemaphore(value: 0)
        let asking = HookedTransport(inner: wire) {
            isGiven.wait()
            handle.withLock { $0 }?.resume()
        }
        let transport = CacheTransport(
            inner: asking, cache: HTTPCache(store: store), policy: .useProtocolCachePolicy, queue: queue)
        let sink = RecordingSink()
        let exchange = transport.start(HTTPRequest(method: "GET", url: "https://a/"), delivering: sink)
        handle.withLock { $0 = exchange }
        isGiven.signal()
        try await waitForRequest(2)
        try await eventually { wire.exchanges[1].resumptions != 0 }
        wire.exchanges[1].respond(200, Self.fields, Self.body)
        #expect((sink.text == Self.body) == true)
    }
}

/// Runs a closure before each request.
private struct HookedTransport: Transport {
    let inner: SteppedTransport
    let hook: @Sendable () -> Void

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        hook()
        return inner.start(request, delivering: sink)
    }
}
