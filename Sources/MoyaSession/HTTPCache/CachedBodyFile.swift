import Foundation
import MoyaTransport

/// A stored body in a separate file: written once, then only read.
final class CachedBodyFile: Sendable {
    /// The number in the file's name.
    let id: UInt64
    /// The number of bytes in the body.
    let length: Int64
    /// The number of bytes in the file.
    let fileSize: Int64
    private let folder: CacheFolder

    init(id: UInt64, length: Int64, fileSize: Int64, in folder: CacheFolder) {
        self.id = id
        self.length = length
        self.fileSize = fileSize
        self.folder = folder
    }

    /// Opens the file; `nil` if it is missing.
    func open() -> RegularFile? {
        try? RegularFile(at: folder.path(of: CacheFolder.bodyName(id)), flags: O_NOFOLLOW)
    }

    /// `true` if the opened file has its original length.
    func isWhole(_ file: borrowing RegularFile) -> Bool { file.length == fileSize && file.isOwn }

    /// Opens the file for reading from a byte of the body; `nil` on failure.
    func reader(from position: Int64) -> CachedBodyReader? {
        guard let file = open() else { return nil }
        let size = Int64(CacheBlock.size)
        do throws(CacheBlock.Damage) {
            guard isWhole(file), try CacheBlock.readMagic(from: file.descriptor) else { throw CacheBlock.Damage() }
            for _ in 0..<position / size where !folder.block.skip(in: file.descriptor) { throw CacheBlock.Damage() }
        } catch {
            folder.reportUnreadable(CacheFolder.bodyName(id), error)
            return nil
        }
        return CachedBodyReader(
            file.release(), id: id, in: folder, index: UInt64(position / size), skipped: Int(position % size))
    }
}

/// Reads the blocks of a stored body in order.
///
/// `@unchecked`: used by one delivery, one call at a time.
final class CachedBodyReader: @unchecked Sendable {
    private let file: Int32
    private let id: UInt64
    private let folder: CacheFolder
    private var index: UInt64
    private var skipped: Int

    init(_ file: Int32, id: UInt64, in folder: CacheFolder, index: UInt64, skipped: Int) {
        self.file = file
        self.id = id
        self.folder = folder
        self.index = index
        self.skipped = skipped
    }

    deinit { close(file) }

    /// The next bytes; called only before the end of the body.
    ///
    /// - Returns: `nil` if the bytes are damaged, which is reported.
    func next() -> Data? {
        do {
            let data = try folder.block.read(from: file, seed: id &+ index)
            guard data.count > skipped else { throw CacheBlock.Damage() }
            defer {
                index += 1
                skipped = 0
            }
            return skipped == 0 ? data : data.subdata(in: data.startIndex + skipped..<data.endIndex)
        } catch {
            folder.reportUnreadable(CacheFolder.bodyName(id), error)
            return nil
        }
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
            guard write(Data(buffer.prefix(CacheBlock.size))) else { return false }
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
        return .file(CachedBodyFile(id: id, length: length, fileSize: fileSize, in: folder))
    }

    func discard() {
        guard file >= 0 else { return }
        close(file)
        file = -1
        unlink(temporary)
    }
}
