import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// The variants of one URL in a folder, to which several processes have written.
@Suite struct DiskCacheVariantTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        // Opened before any is written, so that none counts another's.
        let stores = [store(), store()]
        for (first, store) in zip([0, 64], stores) {
            for number in first..<first + 64 { store.insert(Self.variant(number)) }
            store.flush()
            guard first == 0 else { continue }
            for name in directory.names where name.hasSuffix(".response") {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -3600)],
                    ofItemAtPath: directory.url.appendingPathComponent(name).path)
            }
        }
    }

    private func store() -> DiskCacheStore {
        DiskCacheStore(at: directory.url.path, limit: 1 << 20, encryption: nil) { Issue.record($0) }
    }

    private static func variant(_ number: Int) -> CachedResponse {
        CachedResponse(
            url: "http://a/", status: 200, fields: [], requested: 1, received: Double(number),
            variants: [CacheVariant(name: "a", value: "\(number)")], body: .memory(Data()))
    }

    @Test func openingAFolderKeepsTheLatestVariants() {
        #expect(store().responses(for: "http://a/").map { Int($0.received) } == Array(64..<128))
    }

    @Test func openingAFolderRemovesTheFilesOfOtherVariants() {
        store().flush()
        #expect(directory.names.filter { $0.hasSuffix(".response") }.count == 64)
    }

    @Test func openingAFolderCountsTheBytesOfTheLatestVariants() {
        let store = store()
        let size = store.size
        store.flush()
        #expect(size == self.store().size)
    }

    @Test func removingAURLRemovesEveryVariant() {
        let store = store()
        store.removeAll(for: "http://a/")
        #expect(store.size == 0)
    }
}
