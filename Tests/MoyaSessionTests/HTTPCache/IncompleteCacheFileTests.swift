import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// The files of a cache that are being written, and those that a killed process left.
@Suite struct IncompleteCacheFileTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func store() -> DiskCacheStore {
        DiskCacheStore(at: directory.url.path, limit: 64 << 20, encryption: nil) { Issue.record($0) }
    }

    @Test func thoseOfAnEndedProcessAreRemovedAtTheNextStart() throws {
        _ = try directory.file("0123456789abcdef.tmp", "half")
        _ = store()
        #expect(directory.names == ["salt"])
    }

    @Test(arguments: ["0123456789abcdef.tmp", "0123456789abcdef.body"])
    func thoseOfAnEndedProcessAreRemovedWithAllResponses(name: String) throws {
        let store = store()
        _ = try directory.file(name, "half")
        store.removeAll()
        #expect(directory.names == ["salt"])
    }

    /// Its process may be about to lock it.
    @Test func anEmptyOneStays() throws {
        _ = try directory.file("0123456789abcdef.tmp")
        store().removeAll()
        #expect(directory.names.count == 2)
    }

    @Test func oneThatIsBeingWrittenStays() throws {
        let first = store()
        let writer = first.makeBody()
        try #require(StoredSample.body("http://a/", 1, 200_000).withUnsafeBytes { writer.append($0) })
        store().removeAll()
        #expect(writer.finish()?.count == 200_000)
    }
}
