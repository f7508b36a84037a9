import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// The bytes and the lengths of a cache's files.
@Suite struct CacheFolderTests {
    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "x-access-token", "X-Team-Key"])
    func aSecretThatSelectsAResponseIsNotWritten(name: String) throws {
        let directory = try TestDirectory()
        let path = directory.url.appendingPathComponent("cache").path
        let store = DiskCacheStore(at: path, limit: 1 << 20, encryption: nil) { _ in }
        let writer = store.makeBody()
        let request = CacheRequest(
            HTTPRequest(method: "GET", url: "http://a/", fields: [HTTPField(name: name, value: "s3cr3t")])
        ) { _ in "fingerprint" }
        let fields = [HTTPField(name: "Vary", value: name), HTTPField(name: "N", value: "1")]
        let variants = CacheRules.variants(of: fields, for: request) { _ in "fingerprint" }
        store.insert(
            CachedResponse(
                url: "http://a/", status: 200, fields: fields, requested: 1, received: 2, variants: variants,
                body: try #require(writer.finish())))
        store.flush()
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names.contains { $0.hasSuffix(".response") })
        for name in names {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
            #expect(bytes.range(of: Data("s3cr3t".utf8)) == nil)
        }
    }

    /// The folder is in memory, where a file may have the greatest length.
    @Test(.enabled(if: access("/dev/shm", W_OK) == 0, "needs /dev/shm"), arguments: [64 << 20, .max] as [Int64])
    func filesOfTheGreatestLengthAreRemoved(limit: Int64) throws {
        let path = "/dev/shm/moya-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func store() -> DiskCacheStore { DiskCacheStore(at: path, limit: limit, encryption: nil) { _ in } }
        let first = store()
        for number in 0..<2 {
            let response = StoredSample.response("http://a/\(number)", number, count: 200_000, in: first)
            first.insert(try #require(response))
        }
        first.flush()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "salt" {
            #expect(truncate("\(path)/\(name)", .max) == 0)
        }
        let second = store()
        #expect(second.size == 0)
        #expect(second.responses(for: "http://a/0").isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["salt"])
    }
}
