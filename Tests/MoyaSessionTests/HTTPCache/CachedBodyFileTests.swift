import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// Bodies in files: written in any portions, and read in pieces.
@Suite struct CachedBodyFileTests {
    private let directory: TestDirectory
    private static let mebibyte = 16 * CacheBlock.size
    /// An encryption that makes each block longer.
    private static let encryption = HTTPCache.Encryption(
        seal: { Data([7]) + Data($0.map { ~$0 }) }, open: { Data($0.dropFirst().map { ~$0 }) })

    init() throws { directory = try TestDirectory() }

    private func folder(memoryLimit: Int = 0, encryption: HTTPCache.Encryption? = nil) -> CacheFolder {
        CacheFolder(path: directory.url.path, memoryLimit: memoryLimit, encryption: encryption) { _ in }
    }

    private static func bytes(_ count: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(count))
        var data = Data(capacity: count + 8)
        while data.count < count { withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) } }
        return data.prefix(count)
    }

    /// Writes a body in portions.
    private func write(_ body: Data, by portion: Int = 100_000, in folder: CacheFolder) throws -> CachedBodyFile {
        let writer = FileBodyWriter(in: folder, limit: .max)
        var rest = body
        while !rest.isEmpty {
            try #require(rest.prefix(portion).withUnsafeBytes { writer.append($0) })
            rest = rest.dropFirst(portion)
        }
        guard case .file(let file)? = writer.finish() else { throw CacheBlock.Damage() }
        return file
    }

    /// The pieces of a body; without the rest if it is damaged.
    private func pieces(_ file: CachedBodyFile, _ bytes: Range<Int64>? = nil) -> [Data] {
        let bytes = bytes ?? 0..<file.length
        guard let reader = try? file.reader(of: bytes) else { return [] }
        var pieces: [Data] = []
        var count: Int64 = 0
        while count < bytes.count, let piece = try? reader.next() {
            pieces.append(piece)
            count += Int64(piece.count)
        }
        return pieces
    }

    private func path(_ file: CachedBodyFile) -> URL {
        directory.url.appendingPathComponent(CacheFolder.bodyName(file.id))
    }

    @Test(arguments: [65_537, mebibyte, mebibyte + 1, 2_000_000], [false, true])
    func aBodyIsReadAsItWasWritten(count: Int, isEncrypted: Bool) throws {
        let folder = folder(encryption: isEncrypted ? Self.encryption : nil)
        let file = try write(Self.bytes(count), in: folder)
        #expect(Data(pieces(file).joined()) == Self.bytes(count))
    }

    @Test(arguments: [1, 65_535, 65_536, 65_537, 1_000_000])
    func portionsDoNotChangeABody(portion: Int) throws {
        let file = try write(Self.bytes(150_000), by: portion, in: folder())
        #expect(Data(pieces(file).joined()) == Self.bytes(150_000))
    }

    @Test(arguments: [0..<1, 65_535..<65_537, 65_536..<131_072, 300_000..<1_999_999] as [Range<Int64>], [false, true])
    func aRangeIsReadFromItsFirstBlock(range: Range<Int64>, isEncrypted: Bool) throws {
        let folder = folder(encryption: isEncrypted ? Self.encryption : nil)
        let file = try write(Self.bytes(2_000_000), in: folder)
        let expected = Self.bytes(2_000_000)[Int(range.lowerBound)..<Int(range.upperBound)]
        #expect(Data(pieces(file, range).joined()) == expected)
    }

    @Test func aShortBodyIsOnePiece() throws {
        let file = try write(Self.bytes(Self.mebibyte), in: folder())
        #expect(pieces(file).count == 1)
    }

    @Test func everyPieceOfALongBodyIsAtMostABlock() throws {
        let file = try write(Self.bytes(2_000_000), in: folder())
        #expect(pieces(file).allSatisfy { $0.count <= CacheBlock.size })
    }

    @Test func aBodyThatWasReadIsKeptInMemory() throws {
        let file = try write(Self.bytes(200_000), in: folder(memoryLimit: 800_000))
        #expect(file.recent == nil)
        _ = pieces(file)
        #expect(file.recent == Self.bytes(200_000))
    }

    @Test func aRangeIsNotKeptAsTheBody() throws {
        let file = try write(Self.bytes(200_000), in: folder(memoryLimit: 800_000))
        _ = pieces(file, 70_000..<80_000)
        #expect(file.recent == nil)
    }

    @Test func aRemovedBodyIsNotKept() throws {
        let folder = folder(memoryLimit: 800_000)
        let file = try write(Self.bytes(200_000), in: folder)
        _ = pieces(file)
        folder.removeBody(file.id)
        #expect(file.recent == nil)
    }

    /// A changed bit of any block or header, from a length of five blocks.
    @Test(arguments: Array(stride(from: 8, to: 300_068, by: 9_999)))
    func aChangedBitIsFound(position: Int) throws {
        let file = try write(Self.bytes(300_000), in: folder(memoryLimit: 2_000_000))
        var bytes = try Data(contentsOf: path(file))
        bytes[position] ^= 1 << UInt8(position % 8)
        try bytes.write(to: path(file))
        #expect(pieces(file).isEmpty)
        #expect(file.recent == nil)
    }

    @Test(arguments: [(20, 28), (20, 84), (20, 65_568), (100, 200_000)])
    func swappedWordsAreFound(one: Int, other: Int) throws {
        let file = try write(Self.bytes(300_000), in: folder())
        var bytes = try Data(contentsOf: path(file))
        let (first, second) = (bytes[one..<one + 8], bytes[other..<other + 8])
        bytes.replaceSubrange(one..<one + 8, with: Data(second))
        bytes.replaceSubrange(other..<other + 8, with: Data(first))
        try bytes.write(to: path(file))
        #expect(pieces(file).isEmpty)
    }

    @Test func swappedBlocksAreFound() throws {
        let file = try write(Self.bytes(300_000), in: folder())
        let bytes = try Data(contentsOf: path(file))
        let size = CacheBlock.headerSize + CacheBlock.size
        let (first, second) = (bytes[8 + size..<8 + 2 * size], bytes[8 + 2 * size..<8 + 3 * size])
        try (bytes[..<(8 + size)] + second + first + bytes[(8 + 3 * size)...]).write(to: path(file))
        #expect(pieces(file).isEmpty)
    }

    @Test func aBodyThatTheDiskDoesNotDeliverStaysAndIsNotReadAgain() throws {
        let folder = folder()
        let file = try write(Self.bytes(300_000), in: folder)
        let descriptor = try file.open().release()
        let reader = try CachedBodyReader(descriptor, of: file, in: folder, bytes: 0..<300_000)
        // Reading a folder fails, as reading a bad sector does.
        let other = open(directory.url.path, O_RDONLY)
        try #require(dup2(other, descriptor) == descriptor)
        close(other)
        #expect(throws: CacheFileFault.unreadable) { try reader.next() }
        #expect(throws: CacheFileFault.unreadable) { try file.reader(of: 0..<300_000) }
        #expect(FileManager.default.fileExists(atPath: path(file).path))
    }

    @Test(arguments: [70_000, 200_000, 262_208])
    func aFileThatIsTruncatedWhileItIsReadIsDamaged(length: off_t) throws {
        let file = try write(Self.bytes(300_000), in: folder())
        let reader = try file.reader(of: 0..<300_000)
        try #require(truncate(path(file).path, length) == 0)
        #expect(throws: CacheFileFault.useless) { try reader.next() }
    }

    // MARK: Continuing

    private func continued(_ file: CachedBodyFile, with bytes: Data, limit: Int64 = .max) throws -> CachedBodyFile? {
        guard let writer = FileBodyWriter(continuing: file, limit: limit),
            bytes.withUnsafeBytes({ writer.append($0) }), case .file(let longer)? = writer.finish()
        else { return nil }
        return longer
    }

    @Test(arguments: [false, true]) func aContinuedBodyIsReadAsItWasWritten(isEncrypted: Bool) throws {
        let folder = folder(encryption: isEncrypted ? Self.encryption : nil)
        let file = try write(Self.bytes(2 * CacheBlock.size), in: folder)
        let longer = try #require(try continued(file, with: Self.bytes(100_000)))
        #expect(Data(pieces(longer).joined()) == Self.bytes(2 * CacheBlock.size) + Self.bytes(100_000))
    }

    @Test func aBodyIsReadWhileAndAfterItIsContinued() throws {
        let file = try write(Self.bytes(2 * CacheBlock.size), in: folder(memoryLimit: 4_000_000))
        let reader = try file.reader(of: 0..<file.length)
        let longer = try #require(try continued(file, with: Self.bytes(100_000)))
        #expect(try reader.next() == Self.bytes(2 * CacheBlock.size))
        #expect(file.recent == Self.bytes(2 * CacheBlock.size))
        #expect(longer.recent == nil)
        #expect(Data(pieces(file).joined()) == Self.bytes(2 * CacheBlock.size))
    }

    @Test func aDiscardedContinuationLeavesTheBody() throws {
        let file = try write(Self.bytes(2 * CacheBlock.size), in: folder())
        let bytes = try Data(contentsOf: path(file))
        #expect(try continued(file, with: Self.bytes(200_000), limit: 300_000) == nil)
        #expect(try Data(contentsOf: path(file)) == bytes)
    }

    /// The next bytes would not begin a block, or follow those of another writer.
    @Test func onlyTheLastFullBlockOfAFileIsContinued() throws {
        let folder = folder()
        let file = try write(Self.bytes(100_000), in: folder)
        #expect(FileBodyWriter(continuing: file, limit: .max) == nil)
        let full = try write(Self.bytes(2 * CacheBlock.size), in: folder)
        let writer = FileBodyWriter(continuing: full, limit: .max)
        #expect(writer != nil)
        #expect(FileBodyWriter(continuing: full, limit: .max) == nil)
        writer?.discard()
        _ = try continued(full, with: Self.bytes(10))
        #expect(FileBodyWriter(continuing: full, limit: .max) == nil)
    }
}
