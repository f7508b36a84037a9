import Foundation
import MoyaTransport

/// A stored body in a file of its own: written once, then only read.
final class CachedBodyFile: Sendable {
    /// Number that the file is named by.
    let id: UInt64
    let path: String
    /// The number of bytes of the body.
    let length: Int64
    /// The number of bytes of the file.
    let fileSize: Int64
    private let block: CacheBlock

    init(id: UInt64, path: String, length: Int64, fileSize: Int64, block: CacheBlock) {
        self.id = id
        self.path = path
        self.length = length
        self.fileSize = fileSize
        self.block = block
    }

    /// `true` if the file has as many bytes as were written.
    var isWhole: Bool {
        guard let file = try? RegularFile(at: path, flags: O_NOFOLLOW) else { return false }
        return file.length == fileSize && file.isOwn
    }

    /// Opens the file for reading from a byte of the body on; `nil` where it cannot be opened.
    func reader(from position: Int64) -> CachedBodyReader? {
        guard let file = try? RegularFile(at: path, flags: O_NOFOLLOW), file.length == fileSize, file.isOwn else {
            return nil
        }
        guard CacheBlock.readMagic(from: file.descriptor) else { return nil }
        let size = Int64(CacheBlock.size)
        for _ in 0..<position / size where !block.skip(in: file.descriptor) { return nil }
        return CachedBodyReader(
            file.release(), id: id, block: block, index: UInt64(position / size), skipped: Int(position % size))
    }
}

/// Reads the blocks of a stored body in order.
///
/// `@unchecked`: used by one delivery, one call at a time.
final class CachedBodyReader: @unchecked Sendable {
    private let file: Int32
    private let id: UInt64
    private let block: CacheBlock
    private var index: UInt64
    private var skipped: Int

    init(_ file: Int32, id: UInt64, block: CacheBlock, index: UInt64, skipped: Int) {
        self.file = file
        self.id = id
        self.block = block
        self.index = index
        self.skipped = skipped
    }

    deinit { close(file) }

    /// The next bytes; `nil` at the end, or where they are not what was written.
    func next() -> Data? {
        guard let data = block.read(from: file, seed: id &+ index), data.count > skipped else { return nil }
        defer {
            index += 1
            skipped = 0
        }
        return skipped == 0 ? data : data.subdata(in: data.startIndex + skipped..<data.endIndex)
    }
}

/// Writes a body: a short one to memory, a longer one to a file, a block at a time.
final class FileBodyWriter: CachedBodyWriter {
    private let folder: CacheFolder
    private let limit: Int64
    private let id = UInt64.random(in: 1 ... .max)
    private var buffer = Data()
    private var length: Int64 = 0
    private var fileSize: Int64 = 0
    private var blocks: UInt64 = 0
    private var file: Int32 = -1
    private var temporary: String { folder.path(of: "\(CacheFolder.hex(id)).tmp") }

    init(in folder: CacheFolder, limit: Int64) {
        self.folder = folder
        self.limit = limit
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        length += Int64(bytes.count)
        guard length <= limit else { return false }
        if let start = bytes.baseAddress {
            buffer.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
        while buffer.count > CacheBlock.size {
            guard write(buffer.prefix(CacheBlock.size)) else { return false }
            buffer = Data(buffer.dropFirst(CacheBlock.size))
        }
        return true
    }

    private func write(_ bytes: Data) -> Bool {
        do {
            if file < 0 {
                file = try PrivateFile(at: temporary).release()
                try put(Data(CacheBlock.magic))
            }
            try put(folder.block.encoded(Data(bytes), seed: id &+ blocks))
            blocks += 1
            return true
        } catch {
            folder.report(error)
            return false
        }
    }

    private func put(_ data: Data) throws(SystemError) {
        var failure: SystemError?
        data.withUnsafeBytes { bytes in
            do throws(SystemError) {
                try PrivateFile.append(bytes, to: file)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        fileSize += Int64(data.count)
    }

    func finish() -> CachedBody? {
        guard file >= 0 else { return .memory(buffer) }
        guard buffer.isEmpty || write(buffer) else { return nil }
        let path = folder.path(of: CacheFolder.bodyName(id))
        guard rename(temporary, path) == 0 else {
            folder.report(SystemError(number: errno))
            return nil
        }
        close(file)
        file = -1
        return .file(CachedBodyFile(id: id, path: path, length: length, fileSize: fileSize, block: folder.block))
    }

    func discard() {
        guard file >= 0 else { return }
        close(file)
        file = -1
        unlink(temporary)
    }
}
