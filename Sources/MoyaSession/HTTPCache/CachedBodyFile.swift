import Foundation
import MoyaTransport

/// A stored body in a separate file, whose bytes never change; others may follow them in the file.
final class CachedBodyFile: Sendable {
    /// The number in the file's name.
    let id: UInt64
    /// The number of bytes in the body.
    let length: Int64
    /// The number of bytes in the file.
    let fileSize: Int64
    fileprivate let folder: CacheFolder

    init(id: UInt64, length: Int64, fileSize: Int64, in folder: CacheFolder) {
        self.id = id
        self.length = length
        self.fileSize = fileSize
        self.folder = folder
    }

    /// Removes the file, which no response refers to.
    func remove() { folder.removeBody(id) }

    /// Opens the file.
    ///
    /// - Parameter flags: Further flags for `open(2)`.
    func open(flags: Int32 = 0) throws(RegularFile.Refusal) -> RegularFile {
        try RegularFile(at: CacheFolder.bodyName(id), in: folder.files, flags: flags | O_NOFOLLOW)
    }

    /// `true` if the opened file has all bytes of the body.
    func isWhole(_ file: borrowing RegularFile) -> Bool { file.length >= fileSize && file.isOwn }

    /// The body, if it was read a short time ago; a body in the same file may have another length.
    var recent: Data? { folder.recentBodies.body(id).flatMap { Int64($0.count) == length ? $0 : nil } }

    /// Opens the file for reading bytes of the body, and verifies the first block; reports an error.
    func reader(of bytes: Range<Int64>) throws(CacheFileFault) -> CachedBodyReader {
        guard !folder.unreadableBodies.withLock({ $0.contains(id) }) else { throw .unreadable }
        do {
            let file = try open()
            guard isWhole(file) else { throw CacheBlock.Damage() }
            return try CachedBodyReader(file.release(), of: self, in: folder, bytes: bytes)
        } catch {
            throw folder.fault(error, reading: CacheFolder.bodyName(id))
        }
    }
}

/// Reads bytes of a stored body in order, in pieces: a short body in one, which is kept for the next hits, and a longer
/// one in pieces that fit in a processor's cache.
///
/// `@unchecked`: used by one delivery, one call at a time.
final class CachedBodyReader: @unchecked Sendable {
    /// The maximum number of bytes in a body of one piece.
    static let longestPiece = 16 * CacheBlock.size
    /// The number of bytes in a piece of a longer body: the allocator keeps and reuses memory of that size.
    private static let pieceSize = CacheBlock.size

    private let file: Int32
    private let body: CachedBodyFile
    private let folder: CacheFolder
    private let bytes: Range<Int64>
    /// The next byte to read, at the start of a block, and the first block that is not yet delivered.
    private var position: Int64 = 0
    private var first: Data?

    /// - Parameter file: The descriptor, at the start of the file; closed with the reader.
    /// - Throws: If the first block is damaged.
    init(_ file: Int32, of body: CachedBodyFile, in folder: CacheFolder, bytes: Range<Int64>) throws {
        self.file = file
        self.body = body
        self.folder = folder
        self.bytes = bytes
        try readFirstBlock()
    }

    deinit { close(file) }

    /// Reads the block with the first of the bytes.
    private func readFirstBlock() throws {
        let block = Int64(CacheBlock.size)
        position = bytes.lowerBound / block * block
        let earlier = Int(clamping: position / block)
        guard try CacheBlock.readMagic(from: file) else { throw CacheBlock.Damage() }
        try folder.block.skip(earlier, in: file)
        first = try folder.block.read(from: file, seed: seed)
    }

    /// Returns to the first of the bytes, which are still there if the file was removed.
    ///
    /// - Returns: `false` if they cannot be read.
    func rewind() -> Bool { lseek(file, 0, SEEK_SET) == 0 && (try? readFirstBlock()) != nil }

    private var seed: UInt64 { body.id &+ UInt64(position) / UInt64(CacheBlock.size) }

    /// The next bytes; called only before the last of them.
    ///
    /// It reports an error. After a fault of the disk, the body is not read again by this process: each delivery would end at the
    /// same place.
    func next() throws(CacheFileFault) -> Data {
        do {
            let start = position
            let piece = try nextPiece()
            if piece.count == body.length { folder.recentBodies.insert(piece, id: body.id) }
            let lower = max(bytes.lowerBound - start, 0)
            return piece[Int(lower)..<Int(min(bytes.upperBound - start, Int64(piece.count)))]
        } catch {
            if error is SystemError { folder.unreadableBodies.withLock { _ = $0.insert(body.id) } }
            throw folder.fault(error, reading: CacheFolder.bodyName(body.id))
        }
    }

    /// The next whole blocks.
    private func nextPiece() throws -> Data {
        let block = Int64(CacheBlock.size)
        let isShort = body.length <= Int64(Self.longestPiece)
        let end = min((bytes.upperBound + block - 1) / block * block, body.length)
        let count = Int(min(end - position, Int64(isShort ? Self.longestPiece : Self.pieceSize)))
        // Not a `Data` from the start, which would be filled with zeros first.
        guard count > 0 else { throw CacheBlock.Damage() }
        guard let start = malloc(count) else { throw SystemError(number: ENOMEM) }
        do {
            try fill(UnsafeMutableRawBufferPointer(start: start, count: count))
        } catch {
            free(start)
            throw error
        }
        return Data(bytesNoCopy: start, count: count, deallocator: .free)
    }

    private func fill(_ piece: UnsafeMutableRawBufferPointer) throws {
        var rest = piece[...]
        if let block = first.take() {
            guard block.count == min(CacheBlock.size, piece.count) else { throw CacheBlock.Damage() }
            block.copyBytes(to: piece)
            rest = rest.dropFirst(block.count)
            position += Int64(block.count)
        }
        try folder.block.read(into: UnsafeMutableRawBufferPointer(rebasing: rest), from: file, seed: seed)
        position += Int64(rest.count)
    }
}

/// Writes a body: a short one to memory, a longer one to a file, a block at a time.
final class FileBodyWriter: CachedBodyWriter {
    private let folder: CacheFolder
    private let limit: Int64
    private let id: UInt64
    /// The size of the file that is continued; `nil` for a new file.
    private let start: Int64?
    private var buffer = Data()
    private var length: Int64 = 0
    private var fileSize: Int64 = 0
    private var blocks: UInt64 = 0
    private var file: Int32 = -1
    private var temporary: String { "\(CacheFolder.hex(id)).tmp" }

    init(in folder: CacheFolder, limit: Int64) {
        self.folder = folder
        self.limit = limit
        id = .random(in: 1 ... .max)
        start = nil
    }

    /// Continues a body for a longer one that begins with it, without copying.
    ///
    /// It begins a block, so that no byte changes for those who read the shorter body. The lock keeps other writers from
    /// the file until the end.
    ///
    /// - Returns: `nil` if the last block is not full, or if the file was continued before, even if that was interrupted.
    init?(continuing body: CachedBodyFile, limit: Int64) {
        guard body.length % Int64(CacheBlock.size) == 0, let opened = try? body.open(flags: O_WRONLY | O_APPEND),
            opened.isOwn, opened.lock() == true, opened.currentLength == body.fileSize
        else { return nil }
        folder = body.folder
        self.limit = limit
        id = body.id
        start = body.fileSize
        length = body.length
        fileSize = body.fileSize
        blocks = UInt64(body.length) / UInt64(CacheBlock.size)
        file = opened.release()
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        length += Int64(bytes.count)
        guard length <= limit else { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            if buffer.count == CacheBlock.size {
                guard write(buffer) else { return false }
                buffer.removeAll(keepingCapacity: true)
            }
            let next = rest.prefix(CacheBlock.size - buffer.count)
            buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: next))
            rest = rest.dropFirst(next.count)
        }
        return true
    }

    private func write(_ bytes: Data) -> Bool {
        do {
            if file < 0 {
                let new = try PrivateFile(at: temporary, in: folder.files)
                new.lock()
                file = new.release()
                try put(Data(CacheBlock.magic))
            }
            let block = try folder.block.encoded(bytes, seed: id &+ blocks)
            try put(block.header)
            try put(block.bytes)
            blocks += 1
            return true
        } catch {
            folder.report(error)
            return false
        }
    }

    private func put(_ data: Data) throws {
        try data.withUnsafeBytes { try PrivateFile.append($0, to: file) }
        fileSize += Int64(data.count)
    }

    func finish() -> CachedBody? {
        guard file >= 0 else { return .memory(buffer) }
        guard buffer.isEmpty || write(buffer) else { return nil }
        do {
            if start == nil { try folder.files.rename(temporary, to: CacheFolder.bodyName(id)) }
        } catch {
            folder.report(error)
            return nil
        }
        close(file)
        file = -1
        return .file(CachedBodyFile(id: id, length: length, fileSize: fileSize, in: folder))
    }

    func discard() {
        guard file >= 0 else { return }
        // Before the lock ends.
        if let start { ftruncate(file, off_t(start)) } else { try? folder.files.remove(temporary) }
        close(file)
        file = -1
    }
}
