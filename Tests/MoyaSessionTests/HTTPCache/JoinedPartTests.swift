import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// Parts of a resource that are stored one after the other, in files.
@Suite struct JoinedPartTests {
    private static let url = "http://a/"
    private static let block = CacheBlock.size
    private static let whole = StoredSample.body(url, 1, 2_000_000)

    private let directory: TestDirectory
    private let store: DiskCacheStore
    private let cache: HTTPCache

    init() throws {
        directory = try TestDirectory()
        store = DiskCacheStore(at: directory.url.path, limit: 64 << 20, memoryLimit: 0, encryption: nil) { _ in }
        cache = HTTPCache(store: store)
    }

    private func keep(_ range: Range<Int>) throws {
        let writer = store.makeBody()
        try #require(Self.whole[range].withUnsafeBytes { writer.append($0) })
        let part = ContentRange(
            bytes: Int64(range.lowerBound)..<Int64(range.upperBound), total: Int64(Self.whole.count))
        cache.keep(
            CachedResponse(
                url: Self.url, status: 206, fields: [HTTPField(name: "ETag", value: "\"1\"")], requested: 1,
                received: 2,
                part: part, body: try #require(writer.finish())))
        store.flush()
    }

    private func body(in store: DiskCacheStore) throws -> Data {
        body(of: try #require(store.responses(for: Self.url).first))
    }

    private func body(of response: CachedResponse) -> Data {
        var hit = CacheHit(response: response)
        return hit.open() ? StoredSample.deliver(hit).body : Data()
    }

    private func part(in store: DiskCacheStore) -> Range<Int64>? { store.responses(for: Self.url).first?.part?.bytes }

    private var bodies: [String] { directory.names.filter { $0.hasSuffix(".body") } }

    @Test func successivePartsAreInOneFile() throws {
        for start in 0..<2 { try keep(start * Self.block..<(start + 1) * Self.block) }
        let first = bodies
        for start in 2..<8 { try keep(start * Self.block - 10..<(start + 1) * Self.block) }
        #expect(bodies == first)
        #expect(try body(in: store) == Self.whole.prefix(8 * Self.block))
    }

    @Test func aContinuedPartIsFoundAfterARestart() throws {
        for start in 0..<4 { try keep(start * Self.block..<(start + 1) * Self.block) }
        let next = DiskCacheStore(at: directory.url.path, limit: 64 << 20, encryption: nil) { Issue.record($0) }
        #expect(try body(in: next) == Self.whole.prefix(4 * Self.block))
    }

    @Test func aPartOfAnotherProcessKeepsItsRange() throws {
        for start in 0..<2 { try keep(start * Self.block..<(start + 1) * Self.block) }
        let other = DiskCacheStore(at: directory.url.path, limit: 64 << 20, encryption: nil) { Issue.record($0) }
        let earlier = try #require(other.responses(for: Self.url).first)
        try keep(2 * Self.block..<3 * Self.block)
        #expect(body(of: earlier) == Self.whole.prefix(2 * Self.block))
    }

    @Test func aContinuedPartMayBecomeTheWhole() throws {
        try keep(0..<30 * Self.block)
        try keep(30 * Self.block..<Self.whole.count)
        #expect(store.responses(for: Self.url).first?.status == 200)
        #expect(try body(in: store) == Self.whole)
    }

    @Test func aLongPartIsNotCopiedForAShortOne() throws {
        try keep(0..<1_500_000)
        try keep(1_500_000..<1_500_100)
        #expect(part(in: store) == 0..<1_500_000)
        #expect(bodies.count == 1)
    }

    @Test(arguments: [(0..<1_500_000, 1_500_000..<1_800_000), (0..<200_000, 200_000..<200_010)])
    func aPartIsCopiedForOneOfSimilarLengthOrIfItIsShort(first: Range<Int>, second: Range<Int>) throws {
        try keep(first)
        try keep(second)
        #expect(part(in: store) == 0..<Int64(second.upperBound))
        #expect(try body(in: store) == Self.whole.prefix(second.upperBound))
    }
}
