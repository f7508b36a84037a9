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
    static let magic: [UInt8] = Array("MoyaHTC".utf8) + [2]
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
    /// - Throws: ``Damage`` if it is truncated or damaged; the error of the app's decryption.
    func read(from file: Int32, seed: UInt64) throws -> Data {
        guard let (length, checksum) = Self.header(from: file), length <= Self.largest,
            let sealed = Self.bytes(length, from: file), Self.checksum(sealed, seed: seed) == checksum
        else { throw Damage() }
        guard let encryption else { return sealed }
        return try encryption.open(sealed)
    }

    /// Skips a block; `false` at the end of the file.
    func skip(in file: Int32) -> Bool {
        guard let (length, _) = Self.header(from: file) else { return false }
        return lseek(file, off_t(length), SEEK_CUR) >= 0
    }

    /// Reads the first bytes of a file; `false` for another version.
    ///
    /// - Throws: ``Damage`` for another format.
    static func readMagic(from file: Int32) throws(Damage) -> Bool {
        guard let bytes = bytes(magic.count, from: file).map(Array.init), bytes.dropLast() == magic.dropLast() else {
            throw Damage()
        }
        return bytes == magic
    }

    /// Bytes in a file that were not written by a cache.
    struct Damage: Error {}

    private static func header(from file: Int32) -> (length: Int, checksum: UInt64)? {
        withUnsafeTemporaryAllocation(byteCount: headerSize, alignment: 8) { bytes in
            guard fill(bytes, from: file) else { return nil }
            return (
                Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
            )
        }
    }

    private static func bytes(_ count: Int, from file: Int32) -> Data? {
        guard count > 0 else { return Data() }
        if count > size {
            // A damaged length must not make the process allocate unneeded memory.
            var status = stat()
            guard fstat(file, &status) == 0, Int64(count) <= Int64(status.st_size) else { return nil }
        }
        var data = Data(count: count)
        let isFilled = data.withUnsafeMutableBytes { fill($0, from: file) }
        return isFilled ? data : nil
    }

    /// Reads as many bytes as there are in a buffer; `false` if the file has fewer.
    private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from file: Int32) -> Bool {
        var filled = 0
        while filled < buffer.count {
            let read = systemRead(file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { return false }
            filled += read
        }
        return true
    }

    /// The checksum of bytes, in four sums that a processor computes at the same time.
    private static func checksum(_ data: Data, seed: UInt64) -> UInt64 {
        let start = (seed ^ 0xcbf2_9ce4_8422_2325) &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(data.count)
        return data.withUnsafeBytes { bytes in
            var (one, two, three, four) = (start, ~start, start &+ 1, start &- 1)
            func word(_ position: Int) -> UInt64 {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            }
            let groups = bytes.count / 32
            for group in 0..<groups {
                let position = group &* 32
                one = mixed(one, word(position))
                two = mixed(two, word(position &+ 8))
                three = mixed(three, word(position &+ 16))
                four = mixed(four, word(position &+ 24))
            }
            var hash = [two, three, four].reduce(one, mixed)
            for index in (groups * 32)..<bytes.count { hash = mixed(hash, UInt64(bytes[index])) }
            return hash
        }
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0xff51_afd7_ed55_8ccd
        return product ^ product >> 32
    }
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}
