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

    private static let body = String(repeating: "0123456789", count: 20_000)
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
    private func waitForRequest(_ count: Int) async { while wire.exchanges.count < count { await Task.yield() } }

    @Test func theServerDeliversTheRest() async throws {
        try storeDamaged()
        let (sink, _) = get()
        await waitForRequest(2)
        #expect(wire.exchanges[1].request.fields.contains(HTTPField(name: "If-Match", value: "\"1\"")))
        wire.exchanges[1].respond(200, Self.fields, Self.body)
        #expect(sink.text == Self.body)
        #expect(sink.ends == 1)
        #expect(sink.failure == nil)
        #expect(get().sink.ends == 0)
    }

    @Test(arguments: [200, 412]) func anotherVersionIsNotAppended(status: Int) async throws {
        try storeDamaged()
        let (sink, _) = get()
        await waitForRequest(2)
        wire.exchanges[1].respond(status, [("ETag", "\"2\"")], Self.body)
        #expect(sink.failure == .truncated)
        #expect(Self.body.hasPrefix(sink.text))
        #expect(sink.ends == 1)
    }

    @Test(arguments: [-1, 1]) func aBodyOfAnotherLengthIsAnError(difference: Int) async throws {
        try storeDamaged()
        let (sink, _) = get()
        await waitForRequest(2)
        let body = difference < 0 ? String(Self.body.dropLast()) : Self.body + "0"
        wire.exchanges[1].respond(200, Self.fields, body)
        #expect(sink.failure == .truncated)
        #expect(sink.ends == 1)
    }

    @Test func aBodyWithoutAStrongTagEndsWithAnError() async throws {
        try storeDamaged([("Cache-Control", "max-age=60"), ("ETag", "W/\"1\"")])
        let (sink, _) = get()
        while sink.ends == 0 { await Task.yield() }
        #expect(sink.failure == .truncated)
        #expect(wire.exchanges.count == 1)
    }

    @Test func aCancellationReachesTheServer() async throws {
        try storeDamaged()
        let (sink, handle) = get()
        await waitForRequest(2)
        handle.cancel()
        while sink.ends == 0 { await Task.yield() }
        #expect(sink.failure == .cancelled)
        #expect(wire.exchanges[1].cancellations == 1)
    }
}
