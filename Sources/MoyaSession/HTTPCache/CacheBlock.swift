import Foundation
import MoyaTransport

/// A block in a cache file: length, checksum, and bytes, optionally encrypted by the app.
///
/// Numbers are little-endian. The checksum detects damage by a crash, a full disk or a bad sector, but not forgery,
/// which requires encryption.
struct CacheBlock: Sendable {
    /// The number of body bytes in one block.
    static let size = 64 * 1024
    /// The number of bytes before those of a block.
    static let headerSize = 12
    /// The first bytes of each file; the last of them is the version of the format.
    static let magic: [UInt8] = Array("MoyaHTC".utf8) + [3]
    /// The maximum number of bytes in a block that encryption has made longer.
    private static let largest = 16 * 1024 * 1024

    let encryption: HTTPCache.Encryption?

    /// Encodes bytes as a block: the header, and the bytes after it.
    ///
    /// - Parameter seed: Identifies the file and the block in it, so that blocks cannot be confused.
    func encoded(_ plain: Data, seed: UInt64) throws -> (header: Data, bytes: Data) {
        let sealed = try encryption?.seal(plain) ?? plain
        guard sealed.count <= Self.largest else { throw SystemError(number: EFBIG) }
        var header = Data(capacity: Self.headerSize)
        withUnsafeBytes(of: UInt32(sealed.count).littleEndian) { header.append(contentsOf: $0) }
        withUnsafeBytes(of: Self.checksum(sealed, seed: seed).littleEndian) { header.append(contentsOf: $0) }
        return (header, sealed)
    }

    /// Reads the next block of a file.
    ///
    /// - Throws: ``Damage`` if it is truncated or damaged; the error of the system or of the app's decryption.
    func read(from file: Int32, seed: UInt64) throws -> Data {
        let (length, checksum) = try Self.header(from: file)
        guard length <= Self.largest else { throw Damage() }
        let sealed = try Self.bytes(length, from: file)
        guard Self.checksum(sealed, seed: seed) == checksum else { throw Damage() }
        guard let encryption else { return sealed }
        return try encryption.open(sealed)
    }

    /// Reads successive blocks of a body, which fill a buffer: each has ``size`` bytes, the last one may have fewer.
    ///
    /// - Throws: As ``read(from:seed:)``.
    func read(into buffer: UnsafeMutableRawBufferPointer, from file: Int32, seed: UInt64) throws {
        let blocks = stride(from: 0, to: buffer.count, by: Self.size).map { start in
            UnsafeMutableRawBufferPointer(rebasing: buffer[start...].prefix(Self.size))
        }
        guard encryption != nil else { return try Self.read(blocks, from: file, seed: seed) }
        for (index, block) in blocks.enumerated() {
            let plain = try read(from: file, seed: seed &+ UInt64(index))
            guard plain.count == block.count else { throw Damage() }
            plain.copyBytes(to: block)
        }
    }

    /// Reads unencrypted blocks with one system call.
    private static func read(_ blocks: [UnsafeMutableRawBufferPointer], from file: Int32, seed: UInt64) throws {
        try withUnsafeTemporaryAllocation(byteCount: blocks.count * headerSize, alignment: 8) { all in
            let headers = stride(from: 0, to: all.count, by: headerSize).map { start in
                UnsafeMutableRawBufferPointer(rebasing: all[start..<start + headerSize])
            }
            try fill(zip(headers, blocks).flatMap { [$0, $1] }, from: file)
            for (index, (header, block)) in zip(headers, blocks).enumerated() {
                let (length, stated) = fields(of: header)
                let bytes = UnsafeRawBufferPointer(block)
                guard length == bytes.count, stated == checksum(bytes, seed: seed &+ UInt64(index)) else {
                    throw Damage()
                }
            }
        }
    }

    /// Skips full blocks.
    func skip(_ count: Int, in file: Int32) throws {
        if encryption == nil { return try Self.skip(off_t(count) * off_t(Self.headerSize + Self.size), in: file) }
        for _ in 0..<count { try Self.skip(off_t(Self.header(from: file).length), in: file) }
    }

    private static func skip(_ bytes: off_t, in file: Int32) throws {
        guard lseek(file, bytes, SEEK_CUR) >= 0 else { throw SystemError(number: errno) }
    }

    /// Reads the first bytes of a file; `false` for another version.
    ///
    /// - Throws: ``Damage`` for another format; the error of the system.
    static func readMagic(from file: Int32) throws -> Bool {
        let bytes = Array(try bytes(magic.count, from: file))
        guard bytes.dropLast() == magic.dropLast() else { throw Damage() }
        return bytes == magic
    }

    /// Bytes in a file that were not written by a cache.
    struct Damage: Error {}

    private static func header(from file: Int32) throws -> (length: Int, checksum: UInt64) {
        try withUnsafeTemporaryAllocation(byteCount: headerSize, alignment: 8) { bytes in
            try fill([bytes], from: file)
            return fields(of: bytes)
        }
    }

    private static func fields(of header: UnsafeMutableRawBufferPointer) -> (length: Int, checksum: UInt64) {
        (
            Int(clamping: UInt32(littleEndian: header.loadUnaligned(as: UInt32.self))),
            UInt64(littleEndian: header.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        )
    }

    private static func bytes(_ count: Int, from file: Int32) throws -> Data {
        guard count > 0 else { return Data() }
        if count > size {
            // A damaged length must not make the process allocate unneeded memory.
            var status = stat()
            guard fstat(file, &status) == 0 else { throw SystemError(number: errno) }
            guard Int64(count) <= Int64(status.st_size) else { throw Damage() }
        }
        var data = Data(count: count)
        try data.withUnsafeMutableBytes { try fill([$0], from: file) }
        return data
    }

    /// Fills buffers with the next bytes of a file.
    ///
    /// - Throws: ``Damage`` if it has fewer; the error of the system.
    private static func fill(_ buffers: [UnsafeMutableRawBufferPointer], from file: Int32) throws {
        var vectors = buffers.map { iovec(iov_base: $0.baseAddress, iov_len: $0.count) }
        var first = 0
        while first < vectors.count {
            var read = vectors[first...].withUnsafeBufferPointer { readv(file, $0.baseAddress, Int32($0.count)) }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw SystemError(number: errno) }
            guard read > 0 else { throw Damage() }
            while first < vectors.count, read >= vectors[first].iov_len {
                read -= vectors[first].iov_len
                first += 1
            }
            if first < vectors.count {
                vectors[first].iov_base = vectors[first].iov_base.map { $0 + read }
                vectors[first].iov_len -= read
            }
        }
    }

    /// The checksum of bytes, in eight sums that a processor computes at the same time.
    ///
    /// Each step is a bijection of the sum, and of the word: every change within one word is found, and any other one
    /// except by a chance of 2^-64.
    private static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let start = (seed ^ 0xcbf2_9ce4_8422_2325) &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(bytes.count)
        func word(_ position: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        }
        var (a, b, c, d) = (start, start &+ 1, start &+ 2, start &+ 3)
        var (e, f, g, h) = (~a, ~b, ~c, ~d)
        let groups = bytes.count / 64
        for group in 0..<groups {
            let position = group &* 64
            a = mixed(a, word(position))
            b = mixed(b, word(position &+ 8))
            c = mixed(c, word(position &+ 16))
            d = mixed(d, word(position &+ 24))
            e = mixed(e, word(position &+ 32))
            f = mixed(f, word(position &+ 40))
            g = mixed(g, word(position &+ 48))
            h = mixed(h, word(position &+ 56))
        }
        var hash = [b, c, d, e, f, g, h].reduce(a, mixed)
        for index in (groups * 64)..<bytes.count { hash = mixed(hash, UInt64(bytes[index])) }
        return hash
    }

    private static func checksum(_ data: Data, seed: UInt64) -> UInt64 {
        data.withUnsafeBytes { checksum($0, seed: seed) }
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0xff51_afd7_ed55_8ccd
        return product ^ product >> 32
    }
}
