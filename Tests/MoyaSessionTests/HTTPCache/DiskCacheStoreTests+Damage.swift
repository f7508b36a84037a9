import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Files of the folder that are damaged, missing or foreign.
extension DiskCacheStoreTests {
    @Test func aFileTruncatedAtAnyByteIsNotAResponse() throws {
        let first = store()
        first.insert(try response("http://a/", count: 300, in: first))
        first.flush()
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".response") })
        let whole = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path + "/" + name))
            #expect(store().responses(for: "http://a/").isEmpty)
        }
    }

    @Test func aChangedByteInvalidatesAResponse() throws {
        let first = store()
        first.insert(try response("http://a/", count: 300, in: first))
        first.flush()
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".response") })
        let whole = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 0x41
            try changed.write(to: URL(fileURLWithPath: path + "/" + name))
            #expect(store().responses(for: "http://a/").isEmpty)
        }
    }

    @Test func aBodyShorterThanStatedIsNotAResponse() throws {
        let first = store()
        first.insert(try response("http://a/", count: 200_000, in: first))
        first.flush()
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".body") })
        let body = URL(fileURLWithPath: path + "/" + name)
        try Data(contentsOf: body).dropLast().write(to: body)
        #expect(store().responses(for: "http://a/").isEmpty)
    }

    @Test func aBodyThatWasChangedIsNotDelivered() throws {
        let first = store()
        first.insert(try response("http://a/", count: 200_000, in: first))
        first.flush()
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".body") })
        let body = URL(fileURLWithPath: path + "/" + name)
        var bytes = try Data(contentsOf: body)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: body)
        #expect(read(store().responses(for: "http://a/").first) == nil)
    }

    @Test func randomFilesAreNoResponses() throws {
        let first = store()
        first.insert(try response("http://a/", in: first))
        first.flush()
        try overwriteFiles { _ in true }
        let second = store()
        #expect(second.responses(for: "http://a/").isEmpty)
        second.insert(try response("http://a/", in: second))
        #expect(second.responses(for: "http://a/").count == 1)
    }

    /// Overwrites files of the cache with random bytes.
    private func overwriteFiles(where isMeant: (String) -> Bool) throws {
        var generator = SeededGenerator(seed: 1)
        for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() where isMeant(name) {
            let url = URL(fileURLWithPath: path + "/" + name)
            let count = try Data(contentsOf: url).count
            try Data((0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }).write(to: url)
        }
    }

    @Test(arguments: [".response", ".body"]) func damageIsReportedOnce(suffix: String) throws {
        let first = store()
        for number in 0..<3 { first.insert(try response("http://a/\(number)", count: 100_000, in: first)) }
        first.flush()
        try overwriteFiles { $0.hasSuffix(suffix) }
        let faults = Lock<[String]>([])
        let second = store { fault in faults.withLock { $0.append("\(fault)") } }
        for number in 0..<3 { #expect(read(second.responses(for: "http://a/\(number)").first) == nil) }
        let reported = faults.value
        #expect(reported.count == 1)
        #expect(reported.first?.hasPrefix(path + "/") == true)
        #expect(reported.first?.hasSuffix("\(suffix) is damaged. Its response is requested again.") == true)
    }

    @Test func aFileOfAnotherVersionIsNoFault() throws {
        let first = store()
        first.insert(try response("http://a/", in: first))
        first.flush()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".response") {
            let url = URL(fileURLWithPath: path + "/" + name)
            var bytes = try Data(contentsOf: url)
            bytes[CacheBlock.magic.count - 1] += 1
            try bytes.write(to: url)
        }
        #expect(store { Issue.record($0) }.responses(for: "http://a/").isEmpty)
    }

    @Test func aFileRemovedByAnotherProcessIsNoFault() throws {
        let first = store()
        for number in 0..<2 { first.insert(try response("http://a/\(number)", count: 100_000, in: first)) }
        first.flush()
        let second = store(memoryLimit: 0) { Issue.record($0) }
        let found = second.responses(for: "http://a/0").first
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".body") {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        #expect(read(found) == nil)
        #expect(second.responses(for: "http://a/1").isEmpty)
    }

    @Test func aDamagedSaltIsReplacedForGood() throws {
        _ = store()
        try Data("short".utf8).write(to: URL(fileURLWithPath: path + "/salt"))
        let second = store { Issue.record($0) }
        second.insert(try response("http://a/", in: second))
        second.flush()
        #expect(store().responses(for: "http://a/").count == 1)
    }

    @Test func aSaltThatCannotBeReplacedIsReported() throws {
        try FileManager.default.createDirectory(atPath: path + "/salt", withIntermediateDirectories: true)
        let faults = Lock(0)
        let store = store { _ in faults.withLock { $0 += 1 } }
        store.insert(try response("http://a/", in: store))
        #expect(store.responses(for: "http://a/").count == 1)
        #expect(faults.value == 1)
    }

    /// No later process would find them.
    @Test func noFileIsWrittenWithASaltThatIsNotStored() throws {
        try FileManager.default.createDirectory(atPath: path + "/salt", withIntermediateDirectories: true)
        let store = store()
        store.insert(try response("http://a/", in: store))
        store.flush()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["salt"])
    }

    @Test func aCacheWithoutASaltUsesItsFolderOnceItHasOne() throws {
        try FileManager.default.createDirectory(atPath: path + "/salt", withIntermediateDirectories: true)
        let time = SharedTime()
        let cache = HTTPCache(store: store()) { time.now }
        _ = cache.store
        try FileManager.default.removeItem(atPath: path + "/salt")
        time.advance(by: 1)
        let reopened = try #require(cache.store as? DiskCacheStore)
        reopened.insert(try response("http://a/", in: reopened))
        reopened.flush()
        #expect(store().responses(for: "http://a/").count == 1)
    }

    @Test(arguments: ["0-0-1-0.response", "0000000000000001.body"])
    func aFileThatCannotBeRemovedWithTheOthersIsReported(name: String) throws {
        let faults = Lock<[SystemError?]>([])
        let store = store { fault in faults.withLock { $0.append(fault as? SystemError) } }
        // A directory stands for a file with an error.
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: false)
        store.removeAll()
        #expect(faults.value.count == 1 && faults.value.first != .some(nil))
    }

    @Test func aFolderThatCannotBeMadeIsReportedOnce() throws {
        let file = try directory.file("file", "here")
        let faults = SharedTime()
        let start = faults.now
        let store = DiskCacheStore(at: file.path + "/cache", limit: 1 << 20, encryption: nil) { _ in
            faults.advance(by: 1)
        }
        for number in 0..<3 { store.insert(try response("http://a/\(number)", in: store)) }
        store.flush()
        #expect(store.responses(for: "http://a/0").count == 1)
        #expect(faults.now - start == 1)
    }
}
