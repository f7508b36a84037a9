import Foundation
import MoyaTransport

/// Bytes in a file of the cache: their length, their checksum, and the bytes, encrypted where the app wants that.
///
/// Numbers are little-endian. The checksum finds what a crash, a full disk or a bad sector has left; it is none against a
/// forger, for whom there is encryption.
struct CacheBlock: Sendable {
    /// The bytes of a body in one block.
    static let size = 64 * 1024
    /// The bytes in front of those of a block.
    static let headerSize = 12
    /// The first bytes of each file; the last of them is the version of the format.
    static let magic: [UInt8] = Array("MoyaHTC".utf8) + [1]
    /// The most bytes of a block, for one that encryption has made longer.
    private static let largest = 16 * 1024 * 1024

    let encryption: HTTPCache.Encryption?

    /// The block of bytes as it is written.
    ///
    /// - Parameter seed: The number of the file and of the block in it, so that none is taken for another.
    func encoded(_ plain: Data, seed: UInt64) throws -> Data {
        let sealed = try encryption?.seal(plain) ?? plain
        guard sealed.count <= Self.largest else { throw SystemError(number: EFBIG) }
        var data = Data(capacity: Self.headerSize + sealed.count)
        withUnsafeBytes(of: UInt32(sealed.count).littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: Self.checksum(sealed, seed: seed).littleEndian) { data.append(contentsOf: $0) }
        data.append(sealed)
        return data
    }

    /// Reads the next block of a file; `nil` where it is not whole, or not what was written.
    func read(from file: Int32, seed: UInt64) -> Data? {
        guard let header = Self.bytes(Self.headerSize, from: file) else { return nil }
        let (length, checksum) = header.withUnsafeBytes { bytes in
            (
                Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
            )
        }
        guard length <= Self.largest, let sealed = Self.bytes(length, from: file),
            Self.checksum(sealed, seed: seed) == checksum
        else { return nil }
        guard let encryption else { return sealed }
        return try? encryption.open(sealed)
    }

    /// Passes over a block; `false` at the end of the file.
    func skip(in file: Int32) -> Bool {
        guard let header = Self.bytes(Self.headerSize, from: file) else { return false }
        let length = header.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) }
        return lseek(file, off_t(length), SEEK_CUR) >= 0
    }

    /// Reads the first bytes of a file; `false` where they are those of another format or version.
    static func readMagic(from file: Int32) -> Bool { bytes(magic.count, from: file).map(Array.init) == magic }

    private static func bytes(_ count: Int, from file: Int32) -> Data? {
        guard count > 0 else { return Data() }
        // A damaged length must not make the process ask for memory that it does not need.
        var status = stat()
        guard fstat(file, &status) == 0, Int64(count) <= Int64(status.st_size) else { return nil }
        var data = Data(count: count)
        var filled = 0
        while filled < count {
            let read = data.withUnsafeMutableBytes { buffer in
                systemRead(file, buffer.baseAddress.map { $0 + filled }, count - filled)
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { return nil }
            filled += read
        }
        return data
    }

    private static func checksum(_ data: Data, seed: UInt64) -> UInt64 {
        var hash = (seed ^ 0xcbf2_9ce4_8422_2325) &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(data.count)
        data.withUnsafeBytes { bytes in
            let words = bytes.count / 8
            for index in 0..<words {
                let word = bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
                hash = (hash ^ UInt64(littleEndian: word)) &* 0xff51_afd7_ed55_8ccd
                hash ^= hash >> 32
            }
            for index in (words * 8)..<bytes.count {
                hash = (hash ^ UInt64(bytes[index])) &* 0xff51_afd7_ed55_8ccd
                hash ^= hash >> 32
            }
        }
        return hash
    }
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}
