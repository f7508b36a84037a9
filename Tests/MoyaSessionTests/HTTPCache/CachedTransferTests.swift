import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stored responses as downloads, as streams, with progress, and in events.
@Suite struct CachedTransferTests {
    /// The place of the stored body.
    enum Place: CaseIterable, Sendable {
        case memory, file, longFile

        var count: Int { self == .longFile ? 3_000_000 : 200_000 }
    }

    private let directory: TestDirectory
    private static let fresh = [("Cache-Control", "max-age=60")]

    init() throws { directory = try TestDirectory() }

    private func scene(_ place: Place) -> CacheScene {
        CacheScene(StubbedTransport(.response(200, Self.fresh, body(place))), store: store(place) { _ in })
    }

    private func store(_ place: Place, reporter: @escaping @Sendable (any Error) -> Void) -> any CacheStore {
        guard place != .memory else { return MemoryCacheStore(limit: 64 << 20) }
        return DiskCacheStore(
            at: directory.url.path + "/cache", limit: 64 << 20, encryption: nil, reporter: reporter)
    }

    private func body(_ place: Place) -> String { String(repeating: "0123456789", count: place.count / 10) }

    @Test(arguments: Place.allCases) func aStoredResponseIsDownloaded(place: Place) async throws {
        let scene = scene(place)
        let target = directory.url.appendingPathComponent("file")
        for _ in 0..<2 {
            let request = scene.session.download(URLRequest.to("https://example.com/a")) { _, _ in
                (target, [.removePreviousFile])
            }
            #expect(await request.answered().error == nil)
            #expect(try (Data(contentsOf: target) == Data(body(place).utf8)) == true)
        }
        #expect(scene.wire.requests.count == 1)
    }

    @Test(arguments: Place.allCases) func aStoredResponseIsStreamed(place: Place) async throws {
        let scene = scene(place)
        for _ in 0..<2 {
            var received = Data()
            for try await piece in try await scene.session.request(URLRequest.to("https://example.com/a")).stream() {
                received += piece
            }
            #expect((received == Data(body(place).utf8)) == true)
        }
        #expect(scene.wire.requests.count == 1)
    }

    /// The stale response is read from the file while it is validated.
    @Test(arguments: Place.allCases, [304, nil])
    func aStaleResponseStaysStoredAfterItsValidation(place: Place, status: Int?) async {
        let faults = Lock(0)
        let fields = [
            ("Cache-Control", "max-age=60, stale-while-revalidate=600, stale-if-error=600"), ("ETag", "\"1\""),
        ]
        let validation = status.map { StubbedTransport.Answer.response($0, fields) } ?? .failure(.connect)
        let wire = StubbedTransport(.response(200, fields, body(place)), validation, validation)
        let scene = CacheScene(
            wire, store: store(place) { _ in faults.withLock { $0 += 1 } })
        await scene.send()
        scene.advance(by: 100)
        for _ in 0..<2 { #expect((await scene.get() == body(place)) == true) }
        #expect(scene.wire.requests.count > 1)
        #expect(scene.wire.requests.dropFirst().allSatisfy { $0.fields.contains { $0.name == "If-None-Match" } })
        #expect(faults.value == 0)
    }

    @Test(arguments: [ResponseCacher.doNotCache, .modify { _, response in response }] as [ResponseCacher])
    func aHandlerThatIsNotAskedAboutADownloadKeepsItOutOfTheCache(handler: ResponseCacher) async {
        let scene = CacheScene(
            StubbedTransport(.response(200, Self.fresh, "one")), handler: handler,
            store: MemoryCacheStore(limit: 1 << 20))
        for _ in 0..<2 { _ = await scene.session.download(URLRequest.to("https://example.com/a")).answered() }
        #expect(scene.wire.requests.count == 2)
    }

    @Test func aHandlerThatStoresEverythingStoresADownload() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, Self.fresh, "one")), handler: .cache,
            store: MemoryCacheStore(limit: 1 << 20))
        for _ in 0..<2 { _ = await scene.session.download(URLRequest.to("https://example.com/a")).answered() }
        #expect(scene.wire.requests.count == 1)
    }

    @Test(arguments: Place.allCases) func aStoredResponseHasProgress(place: Place) async {
        let scene = scene(place)
        await scene.send()
        let queue = DispatchQueue(label: "test.progress")
        let counts = Lock<[Int64]>([])
        let request = scene.session.request(URLRequest.to("https://example.com/a"))
            .downloadProgress(queue: queue) { progress in counts.withLock { $0.append(progress.completedUnitCount) } }
        _ = await request.outcome()
        queue.sync {}
        #expect(counts.value.last == Int64(place.count))
        #expect(counts.value == counts.value.sorted())
    }

    @Test func eachCallerOfAnExchangeHasItsProgress() async throws {
        let wire = SteppedTransport()
        let session = Session(startRequestsImmediately: false, cache: .memory(), transport: wire)
        let queue = DispatchQueue(label: "test.progress")
        let counts = Lock<[[Int64]]>([[], []])
        let requests = (0..<2).map { index in
            session.request(URLRequest.to("https://example.com/a")).downloadProgress(queue: queue) { progress in
                counts.withLock { $0[index].append(progress.completedUnitCount) }
            }
        }
        async let first = requests[0].outcome()
        try await eventually { wire.exchanges.count >= 1 }
        wire.exchanges[0].head(200, Self.fresh + [("Content-Length", "6")])
        wire.exchanges[0].chunk("one")
        async let second = requests[1].outcome()
        // The second joins before the body is complete.
        try await eventually { requests[1].task?.response != nil }
        wire.exchanges[0].chunk("two")
        wire.exchanges[0].end()
        _ = await (first, second)
        queue.sync {}
        #expect(counts.value.map(\.last) == [6, 6])
        #expect(wire.exchanges.count == 1)
    }

    @Test func theEventsOfAResponseHaveItsCacheStatus() async {
        let scene = scene(.memory)
        let heard = Lock<[CacheStatus.Outcome?]>([])
        for _ in 0..<2 {
            let queue = DispatchQueue(label: "test.monitor")
            let monitor = ClosureEventMonitor(queue: queue)
            monitor.requestDidReceiveResponse = { _, response in
                heard.withLock { $0.append(response.cacheStatus?.outcome) }
            }
            let request = scene.session.request(URLRequest.to("https://example.com/a")).eventMonitor(monitor)
            _ = await request.outcome()
            queue.sync {}
        }
        #expect(heard.value == [.miss, .hit])
    }
}
