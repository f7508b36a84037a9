import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A cache in a folder with arbitrary contents.
@Suite struct DiskCacheStoreTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    var path: String { directory.url.appendingPathComponent("cache").path }

    func store(
        limit: Int64 = 64 << 20, memoryLimit: Int = 1 << 20, encryption: HTTPCache.Encryption? = nil,
        reporter: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> DiskCacheStore {
        DiskCacheStore(at: path, limit: limit, memoryLimit: memoryLimit, encryption: encryption, reporter: reporter)
    }

    /// A response whose body depends on its URL and a number.
    func response(_ url: String, _ number: Int = 0, count: Int = 100, in store: DiskCacheStore) throws
        -> CachedResponse
    {
        let writer = store.makeBody()
        let body = Self.body(url, number, count)
        try #require(body.withUnsafeBytes { writer.append($0) })
        return CachedResponse(
            url: url, status: 200, fields: [HTTPField(name: "N", value: "\(number)")], requested: 1, received: 2,
            variants: [CacheVariant(name: "a", value: "=b")], credential: CacheCredential(authorization: "c"),
            body: try #require(writer.finish()))
    }

    private static func body(_ url: String, _ number: Int, _ count: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(url.utf8.count * 1000 + number))
        return Data((0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) })
    }

    /// The delivered body; `nil` if it cannot be read.
    func read(_ response: CachedResponse?, bytes: Range<Int64>? = nil) -> Data? {
        guard let response else { return nil }
        var hit = CacheHit(response: response, bytes: bytes)
        guard hit.open() else { return nil }
        let sink = StoredSample.deliver(hit)
        return sink.failure == nil && sink.ends == 1 ? sink.body : nil
    }

    @Test func removingAllRemovesTheResponsesOfOtherProcesses() throws {
        let first = store()
        let other = store()
        other.insert(try response("http://a/", in: other))
        other.flush()
        first.removeAll()
        #expect(store().responses(for: "http://a/").isEmpty)
    }

    @Test func removedResponsesDoNotWaitForWrites() throws {
        let gate = DispatchSemaphore(value: 0)
        let waits = Lock(false)
        let slow = HTTPCache.Encryption(
            seal: {
                if waits.value { gate.wait() }
                return $0
            }, open: { $0 })
        let first = store(encryption: slow)
        first.insert(try response("http://a/", in: first))
        first.flush()
        waits.set(true)
        first.insert(try response("http://b/", in: first))
        first.removeAll()
        #expect(store(encryption: .init(seal: { $0 }, open: { $0 })).responses(for: "http://a/").isEmpty)
        waits.set(false)
        for _ in 0..<2 { gate.signal() }
        first.flush()
    }

    @Test func aNewResponseReplacesThoseThatStayUnreadable() throws {
        struct Wrong: Error {}
        let key = Lock<UInt8>(1)
        let encryption = HTTPCache.Encryption(
            seal: { Data([key.value]) + $0 },
            open: {
                guard $0.first == key.value else { throw Wrong() }
                return Data($0.dropFirst())
            })
        let first = store(encryption: encryption)
        first.insert(try response("http://a/", 1, in: first))
        first.flush()
        key.set(2)
        let second = store(encryption: encryption)
        #expect(second.responses(for: "http://a/").isEmpty)
        second.insert(try response("http://a/", 2, in: second))
        second.flush()
        key.set(1)
        #expect(store(encryption: encryption).responses(for: "http://a/").isEmpty)
    }

    @Test func aKeyThatIsLockedForAMomentCostsNoResponse() throws {
        struct Locked: Error {}
        let isLocked = Lock(false)
        let encryption = HTTPCache.Encryption(
            seal: { $0 },
            open: {
                if isLocked.value { throw Locked() }
                return $0
            })
        let first = store(encryption: encryption)
        first.insert(try response("http://a/", in: first))
        first.flush()
        let second = store(encryption: encryption)
        isLocked.set(true)
        #expect(second.responses(for: "http://a/").isEmpty)
        second.flush()
        isLocked.set(false)
        #expect(second.responses(for: "http://a/").count == 1)
    }

    @Test(arguments: [100, 100_000]) func aValidatedResponseThatCannotBeWrittenStaysStored(count: Int) throws {
        struct Full: Error {}
        let isFull = Lock(false)
        let encryption = HTTPCache.Encryption(
            seal: { if isFull.value { throw Full() } else { return $0 } }, open: { $0 })
        let first = store(encryption: encryption)
        let stored = try response("http://a/", 1, count: count, in: first)
        first.insert(stored)
        first.flush()
        isFull.set(true)
        for number in 2...3 {
            first.insert(
                CachedResponse(
                    url: "http://a/", status: 200, fields: [HTTPField(name: "N", value: "\(number)")], requested: 2,
                    received: 2, variants: stored.variants, credential: stored.credential, body: stored.body,
                    isUpdate: true))
        }
        first.flush()
        for store in [first, store(encryption: encryption)] {
            let found = try #require(store.responses(for: "http://a/").first)
            #expect(read(found) == Self.body("http://a/", 1, count))
        }
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 1_000_000])
    func aStoredResponseIsFoundAfterARestart(count: Int) throws {
        let first = store()
        first.insert(try response("http://a/", 7, count: count, in: first))
        first.flush()
        let second = store()
        let found = try #require(second.responses(for: "http://a/").first)
        #expect(found.fields == [HTTPField(name: "N", value: "7")])
        #expect(found.variants == [CacheVariant(name: "a", value: "=b")])
        #expect(found.credential == CacheCredential(authorization: "c"))
        #expect(read(found) == Self.body("http://a/", 7, count))
        #expect(second.salt == first.salt)
        #expect(second.size > count)
    }

    /// Another process has confirmed the response meanwhile, which keeps its body.
    @Test func aMissingResponseTakesNoBodyOfAnotherProcessWithIt() throws {
        let first = store()
        let old = try response("http://a/", 1, count: 100_000, in: first)
        first.insert(old)
        first.flush()
        let second = store()
        first.insert(
            CachedResponse(
                url: old.url, status: 200, fields: old.fields, requested: 3, received: 4, variants: old.variants,
                credential: old.credential, body: old.body))
        first.flush()
        #expect(second.responses(for: "http://a/").isEmpty)
        second.flush()
        #expect(read(store().responses(for: "http://a/").first) == Self.body("http://a/", 1, 100_000))
    }

    @Test func aResponseThatIsRemovedBeforeItIsWrittenLeavesNoBody() throws {
        let store = store()
        let response = try response("http://a/", 1, count: 100_000, in: store)
        store.insert(response)
        store.remove(response)
        store.flush()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".body") } == [])
    }

    @Test func aResponseThatAHandlerAllowsOnlyInMemoryIsNotWritten() throws {
        let store = store()
        let url = try #require(URL(string: "http://a/"))
        let foundation = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        let handled = CachedURLResponse(
            response: foundation, data: Data(), userInfo: nil, storagePolicy: .allowedInMemoryOnly)
        store.insert(try response("http://a/", 1, in: store))
        store.insert(
            CachedResponse(
                url: "http://a/", status: 200, fields: [], requested: 3, received: 4, body: .memory(Data("a".utf8)),
                handled: handled))
        store.flush()
        #expect(read(store.responses(for: "http://a/").last) == Data("a".utf8))
        #expect(self.store().responses(for: "http://a/").allSatisfy { $0.received == 2 })
    }

    @Test func aStoredResponseIsFoundBeforeItIsWritten() throws {
        let store = store(memoryLimit: 0)
        store.insert(try response("http://a/", in: store))
        #expect(read(store.responses(for: "http://a/").first) == Self.body("http://a/", 0, 100))
    }

    @Test(arguments: [0..<1, 65_535..<65_537, 200_000..<300_000] as [Range<Int64>])
    func aRangeOfAFileIsRead(range: Range<Int64>) throws {
        let store = store()
        store.insert(try response("http://a/", count: 300_000, in: store))
        let whole = Self.body("http://a/", 0, 300_000)
        let found = store.responses(for: "http://a/").first
        #expect(read(found, bytes: range) == whole.subdata(in: Int(range.lowerBound)..<Int(range.upperBound)))
    }

    @Test(arguments: [100, 200_000])
    func aNewerResponseReplacesAnOlderOne(count: Int) throws {
        let first = store()
        for number in 0..<5 { first.insert(try response("http://a/", number, count: count, in: first)) }
        first.flush()
        let found = store().responses(for: "http://a/")
        #expect(found.map { $0.fields[0].value } == ["4"])
        #expect(read(found.first) == Self.body("http://a/", 4, count))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == (count > 65_536 ? 3 : 2))
    }

    @Test func aFreshenedResponseKeepsItsBody() throws {
        let first = store()
        let old = try response("http://a/", count: 200_000, in: first)
        first.insert(old)
        first.insert(
            CachedResponse(
                url: old.url, status: 200, fields: [HTTPField(name: "N", value: "9")], requested: 3, received: 4,
                variants: old.variants, credential: old.credential, body: old.body))
        first.flush()
        let found = store().responses(for: "http://a/")
        #expect(found.map { $0.fields[0].value } == ["9"])
        #expect(read(found.first) == Self.body("http://a/", 0, 200_000))
    }

    @Test func removedResponsesDoNotComeBack() throws {
        let first = store()
        first.insert(try response("http://a/", in: first))
        first.removeAll(for: "http://a/")
        #expect(first.responses(for: "http://a/").isEmpty)
        first.flush()
        #expect(store().responses(for: "http://a/").isEmpty)
        #expect(first.size == 0)
    }

    @Test func anOriginIsForgotten() throws {
        let store = store()
        for url in ["http://a/1", "http://a/2", "http://b/1"] { store.insert(try response(url, in: store)) }
        store.removeAll(ofOrigin: "http://a")
        #expect(["http://a/1", "http://a/2", "http://b/1"].map { store.responses(for: $0).count } == [0, 0, 1])
    }

    @Test func leastRecentlyUsedResponsesAreRemovedFirst() throws {
        let store = store(limit: 20_000, memoryLimit: 0)
        for number in 0..<10 { store.insert(try response("http://a/\(number)", count: 3000, in: store)) }
        store.flush()
        #expect(store.size <= 20_000)
        #expect(store.responses(for: "http://a/0").isEmpty)
        #expect(store.responses(for: "http://a/9").count == 1)
    }

    @Test func aResponseThatMemoryAnswersIsInUse() throws {
        let store = store(limit: 20_000)
        for number in 0..<10 {
            store.insert(try response("http://a/\(number)", count: 3000, in: store))
            _ = store.responses(for: "http://a/0")
        }
        store.flush()
        let reopened = self.store(limit: 20_000)
        #expect(reopened.responses(for: "http://a/0").count == 1)
        #expect(reopened.responses(for: "http://a/1").isEmpty)
    }

    @Test func aResponseInUseBeforeARestartIsInUseAfterIt() throws {
        let first = store()
        for number in 0..<5 { first.insert(try response("http://a/\(number)", count: 3000, in: first)) }
        first.flush()
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: path) {
            let date = Date(timeIntervalSinceNow: -3600)
            try manager.setAttributes([.modificationDate: date], ofItemAtPath: path + "/" + name)
        }
        let second = store()
        _ = second.responses(for: "http://a/0")
        second.flush()
        let third = store(limit: 5_000)
        #expect(third.responses(for: "http://a/0").count == 1)
        #expect(third.responses(for: "http://a/1").isEmpty)
    }

    @Test func aPartOfAnotherLengthLeavesNoFile() async throws {
        let store = store()
        let part = [("Cache-Control", "max-age=60"), ("ETag", "\"1\""), ("Content-Range", "bytes 0-9/200000")]
        let body = String(repeating: "a", count: 100_000)
        let scene = CacheScene(StubbedTransport(.response(206, part, body)), store: store)
        await scene.send(fields: [("Range", "bytes=0-9")])
        store.flush()
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names.filter { $0.hasSuffix(".body") || $0.hasSuffix(".tmp") }.isEmpty)
    }

    @Test func aFolderThatExistsIsRestrictedToItsOwner() throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        _ = store()
        #expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
    }

    @Test func filesAreForTheirOwnerOnly() throws {
        let store = store()
        store.insert(try response("http://a/", count: 200_000, in: store))
        store.flush()
        let manager = FileManager.default
        let names = try manager.contentsOfDirectory(atPath: path)
        #expect(names.count == 3)
        for name in [""] + names.map({ "/" + $0 }) {
            let mode = try manager.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int
            #expect((mode ?? 0o777) & 0o077 == 0)
        }
    }

    @Test func everyVariantIsFoundWithoutRoomForThemInMemory() throws {
        let store = store(memoryLimit: 2_500)
        for number in 0..<5 {
            store.insert(
                CachedResponse(
                    url: "http://a/", status: 200, fields: [], requested: 0, received: Double(number),
                    variants: [CacheVariant(name: "a", value: "\(number)")], body: .memory(Data(count: 300))))
        }
        #expect(store.responses(for: "http://a/").map { $0.variants[0].value } == ["0", "1", "2", "3", "4"])
    }

    @Test func encryptionHidesStoredResponses() throws {
        let turned = HTTPCache.Encryption(seal: { Data($0.map { ~$0 }) }, open: { Data($0.map { ~$0 }) })
        let first = store(encryption: turned)
        let body = Self.body("http://secret.example/", 0, 200_000)
        first.insert(try response("http://secret.example/", count: 200_000, in: first))
        first.flush()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
            #expect(bytes.range(of: Data("secret".utf8)) == nil)
            #expect(bytes.range(of: body.prefix(100)) == nil)
        }
        #expect(read(store(encryption: turned).responses(for: "http://secret.example/").first) == body)
    }

    @Test func anotherKeyDecryptsNothing() throws {
        struct WrongKey: Error {}
        let first = store(encryption: .init(seal: { $0 }, open: { $0 }))
        first.insert(try response("http://a/", in: first))
        first.flush()
        let second = store(encryption: .init(seal: { $0 }, open: { _ in throw WrongKey() }))
        #expect(second.responses(for: "http://a/").isEmpty)
    }

    @Test func twoStoresInOneFolderDoNotInterfere() throws {
        let stores = [store(memoryLimit: 0), store(memoryLimit: 0)]
        for number in 0..<50 {
            let store = stores[number % 2]
            store.insert(try response("http://a/\(number % 7)", number, count: number % 3 * 50_000 + 10, in: store))
            if number % 5 == 0 { stores[(number + 1) % 2].removeAll(for: "http://a/\(number % 7)") }
        }
        for store in stores { store.flush() }
        let third = store()
        var count = 0
        for url in 0..<7 {
            for found in third.responses(for: "http://a/\(url)") {
                let number = try #require(Int(found.fields[0].value))
                #expect(read(found) == Self.body("http://a/\(url)", number, number % 3 * 50_000 + 10))
                count += 1
            }
        }
        #expect(count > 0)
    }

    @Test func leftoversOfAKilledProcessAreRemoved() throws {
        let first = store()
        first.insert(try response("http://a/", count: 200_000, in: first))
        first.flush()
        let old = Date(timeIntervalSinceNow: -100_000)
        for name in ["0123456789abcdef.tmp", "0123456789abcdef.body"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/" + name))
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path + "/" + name)
        }
        _ = store()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
    }
}
