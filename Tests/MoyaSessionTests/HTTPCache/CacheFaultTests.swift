import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Input of nonsense from servers, callers and clocks: the call is answered, and nothing is mixed.
@Suite struct CacheFaultTests {
    private let fresh = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]

    @Test(arguments: [10, -10, 1000, -1000] as [Double])
    func aClockThatJumpsByYearsCausesValidation(years: Double) async {
        let scene = CacheScene(StubbedTransport(.response(200, fresh, "one"), .response(304)))
        await scene.send()
        scene.advance(by: years * 365 * 86400)
        let second = await scene.send()
        #expect(scene.text(second) == "one")
        #expect(scene.status(second)?.outcome == .revalidated)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude])
    func anInvalidClockDoesNotTrap(time: Double) async {
        let scene = CacheScene(StubbedTransport(.response(200, fresh, "one"), .response(304)))
        await scene.send()
        scene.advance(by: time)
        #expect(await scene.get() == "one")
    }

    @Test func folderThatIsNoFileURLIsReportedAndTheCacheIsInMemory() async throws {
        // The path of the URL is that of a folder here.
        let directory = try TestDirectory()
        let url = try #require(URL(string: "https://example.com\(directory.url.path)/cache"))
        let faults = Lock<[any Error]>([])
        let cache = HTTPCache.disk(at: url) { fault in faults.withLock { $0.append(fault) } }
        let session = Session(
            configuration: .ephemeral, cache: cache, transport: StubbedTransport(.response(200, fresh, "one")))
        _ = await session.request("http://a.example/").serializingString().response
        #expect(cache.size > 0)
        #expect(faults.withLock { $0 }.map { ($0 as? CocoaError)?.code } == [.fileWriteUnsupportedScheme])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
    }

    /// A store in the files of a folder, or in memory.
    private func store(in directory: TestDirectory?) -> any CacheStore {
        guard let directory else { return MemoryCacheStore(limit: 64 << 20) }
        return DiskCacheStore(at: directory.url.path, limit: 64 << 20, encryption: nil) { Issue.record($0) }
    }

    @Test(arguments: [true, false]) func manyVariantsAreBounded(areInFiles: Bool) throws {
        let directory = try TestDirectory()
        let store = store(in: areInFiles ? directory : nil)
        for number in 0..<(areInFiles ? 1000 : 10_000) {
            store.insert(
                CachedResponse(
                    url: "http://a/", status: 200, fields: [], requested: 0, received: Double(number),
                    variants: [CacheVariant(name: "a", value: "\(number)")], body: .memory(Data())))
        }
        (store as? DiskCacheStore)?.flush()
        let found = store.responses(for: "http://a/")
        #expect(found.count == MemoryCacheStore.mostVariants)
        #expect(found.last?.variants.first?.value == (areInFiles ? "999" : "9999"))
        if areInFiles { #expect(directory.names.count == MemoryCacheStore.mostVariants + 1) }
    }

    /// Each request has a variant of its own; the latest stay stored.
    @Test(arguments: [true, false]) func aNewerVariantDisplacesNoOther(areInFiles: Bool) throws {
        let directory = try TestDirectory()
        let store = store(in: areInFiles ? directory : nil)
        for number in Array(0..<MemoryCacheStore.mostVariants) + [5] {
            store.insert(
                CachedResponse(
                    url: "http://a/", status: 200, fields: [], requested: 0, received: Double(number),
                    variants: [CacheVariant(name: "a", value: "\(number)")], body: .memory(Data())))
        }
        (store as? DiskCacheStore)?.flush()
        #expect(store.responses(for: "http://a/").count == MemoryCacheStore.mostVariants)
        if areInFiles { #expect(directory.names.count == MemoryCacheStore.mostVariants + 1) }
    }

    @Test(arguments: [true, false]) func eachOfManyVariantsIsAnsweredRight(areInFiles: Bool) throws {
        let directory = try TestDirectory()
        let store = store(in: areInFiles ? directory : nil)
        let wire = VariantTransport()
        let transport = CacheTransport(
            inner: wire, cache: HTTPCache(store: store), policy: .useProtocolCachePolicy,
            queue: DispatchQueue(label: "test"))
        func isRight(_ number: Int) -> Bool {
            let sink = RecordingSink()
            let fields = [HTTPField(name: "Foo", value: "\(number)")]
            _ = transport.start(HTTPRequest(method: "GET", url: "https://a/", fields: fields), delivering: sink)
            return sink.text == "\(number)" && sink.ends == 1 && sink.failure == nil
        }
        let count = areInFiles ? 1_000 : 10_000
        #expect((0..<count).allSatisfy(isRight))
        #expect(wire.requests == count)
        #expect((count - MemoryCacheStore.mostVariants..<count).allSatisfy(isRight))
        #expect(wire.requests == count)
        #expect(isRight(0))
        #expect(wire.requests == count + 1)
        #expect(store.size < 100_000)
        withExtendedLifetime(directory) { (store as? DiskCacheStore)?.flush() }
    }

    @Test func aValueIsComparedWithAllVariantsAfterOneComputation() {
        var values = CacheVariantValues(of: .of("GET", [("Cookie", "a=1")]))
        var fingerprints = 0
        for _ in 0..<64 {
            _ = values.value(of: "cookie") {
                fingerprints += 1
                return $0
            }
        }
        #expect(fingerprints == 1)
    }

    @Test func aVaryOfTooManyNamesIsNotStored() async {
        let names = (0..<65).map { "a\($0)" }.joined(separator: ",")
        let scene = CacheScene(
            StubbedTransport(.response(200, fresh + [("Vary", names)], "one"), .response(200, fresh, "two")))
        #expect(await scene.get() == "one")
        #expect(await scene.get() == "two")
    }

    @Test func aValueOfAMegabyteIsKeptAsAFingerprint() async {
        let scene = CacheScene(
            StubbedTransport(.response(200, fresh + [("Vary", "Foo")], "one"), .response(200, fresh, "two")))
        let long = String(repeating: "a", count: 1 << 20)
        #expect(await scene.get([("Foo", long)]) == "one")
        #expect(await scene.get([("Foo", long)]) == "one")
        #expect(scene.cache.size < 10_000)
        #expect(await scene.get([("Foo", long + "b")]) == "two")
    }

    @Test(arguments: [
        "Vary", "Cache-Control", "ETag", "Age", "Expires", "Content-Range", "No-Vary-Search", "Cache-Status",
    ])
    func fieldsOfRandomBytesDoNotTrap(name: String) async {
        var generator = SeededGenerator(seed: UInt64(name.utf8.count))
        for _ in 0..<50 {
            let bytes = (0..<40).map { _ in UInt8.random(in: 0x20..<0x7f, using: &generator) }
            let fields = fresh + [(name, String(decoding: bytes, as: UTF8.self))]
            let scene = CacheScene(StubbedTransport(.response(200, fields, "one"), .response(200, fields, "one")))
            for _ in 0..<2 { #expect(await scene.get([("Range", "bytes=0-9")]) == "one") }
        }
    }
}

/// Answers each request with the value of its field `Foo`, which selects the response.
private final class VariantTransport: Transport {
    private let count = Lock(0)

    var requests: Int { count.value }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        count.withLock { $0 += 1 }
        let fields: [HTTPField] = [HTTPField](
            [("Cache-Control", "max-age=60"), ("Vary", "Foo, Accept-Language")])
        _ = sink.receive(.head(TransportResponseHead(status: 200, fields: fields)))
        let body = Array((request.fields.values(for: "foo").first ?? "").utf8)
        body.withUnsafeBytes { _ = sink.receive(.chunk($0)) }
        _ = sink.receive(.end(TransportEnd()))
        return FinishedExchange.shared
    }
}
