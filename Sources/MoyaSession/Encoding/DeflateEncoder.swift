import Foundation

/// Compresses bytes by RFC 1951, with fixed codes and matches in the last 32 KiB.
///
/// It needs no library, on any platform. It is simple because request bodies are mostly repetitive text.
package struct DeflateEncoder {
    private var output: [UInt8] = []
    private var bits: UInt64 = 0
    private var bitCount: UInt64 = 0

    private static let shortestMatch = 3
    private static let longestMatch = 258
    private static let window = 32_768
    /// The maximum number of earlier positions examined for one match.
    private static let mostTries = 32
    private static let hashBits = 15

    /// The compressed bytes, without a frame.
    package static func deflate(_ data: Data) -> [UInt8] {
        var encoder = DeflateEncoder()
        encoder.output.reserveCapacity(data.count / 2 + 16)
        data.withUnsafeBytes { encoder.encode($0.bindMemory(to: UInt8.self)) }
        return encoder.output
    }

    /// The compressed bytes in the frame of `Content-Encoding: deflate` (RFC 1950).
    package static func zlib(_ data: Data) -> Data {
        var framed: [UInt8] = [0x78, 0x5E]
        framed += deflate(data)
        let sum = adler32(data)
        framed += (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
        return Data(framed)
    }

    /// The compressed bytes in the frame of `Content-Encoding: gzip` (RFC 1952).
    package static func gzip(_ data: Data) -> Data {
        var framed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        framed += deflate(data)
        for number in [crc32(data), UInt32(truncatingIfNeeded: data.count)] {
            framed += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return Data(framed)
    }

    // MARK: Matches

    private mutating func encode(_ input: UnsafeBufferPointer<UInt8>) {
        // One last block with the fixed codes (RFC 1951 section 3.2.3).
        write(1, count: 1)
        write(1, count: 2)
        var newest = [Int32](repeating: -1, count: 1 << Self.hashBits)
        var earlier = [Int32](repeating: -1, count: min(input.count, Self.window))
        var position = 0
        while position < input.count {
            let match = longestMatch(in: input, at: position, newest, earlier)
            let length = match?.length ?? 1
            if let match {
                writeLength(match.length)
                writeDistance(match.distance)
            } else {
                writeLiteral(Int(input[position]))
            }
            for index in position..<position + length where index + Self.shortestMatch <= input.count {
                let hash = Self.hash(input, index)
                earlier[index % Self.window] = newest[hash]
                newest[hash] = Int32(truncatingIfNeeded: index)
            }
            position += length
        }
        writeLiteral(256)
        if bitCount > 0 { output.append(UInt8(truncatingIfNeeded: bits)) }
    }

    private func longestMatch(
        in input: UnsafeBufferPointer<UInt8>, at position: Int, _ newest: [Int32], _ earlier: [Int32]
    ) -> (length: Int, distance: Int)? {
        guard position + Self.shortestMatch <= input.count else { return nil }
        let longest = min(Self.longestMatch, input.count - position)
        var best = (length: Self.shortestMatch - 1, distance: 0)
        var candidate = Int(newest[Self.hash(input, position)])
        for _ in 0..<Self.mostTries {
            guard candidate >= 0, candidate < position, position - candidate <= Self.window else { break }
            var length = 0
            while length < longest, input[candidate + length] == input[position + length] { length += 1 }
            if length > best.length { best = (length, position - candidate) }
            if length == longest { break }
            let next = Int(earlier[candidate % Self.window])
            // An overwritten position leads forward.
            guard next < candidate else { break }
            candidate = next
        }
        return best.length >= Self.shortestMatch ? best : nil
    }

    private static func hash(_ input: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int {
        let three = UInt32(input[index]) << 16 | UInt32(input[index + 1]) << 8 | UInt32(input[index + 2])
        return Int((three &* 0x9E37_79B1) >> UInt32(32 - hashBits))
    }

    // MARK: Codes (RFC 1951 sections 3.2.5 and 3.2.6)

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]

    private mutating func writeLiteral(_ symbol: Int) {
        switch symbol {
        case ..<144: writeCode(0x30 + symbol, count: 8)
        case ..<256: writeCode(0x190 + symbol - 144, count: 9)
        case ..<280: writeCode(symbol - 256, count: 7)
        default: writeCode(0xC0 + symbol - 280, count: 8)
        }
    }

    private mutating func writeLength(_ length: Int) {
        guard let index = Self.lengthBases.lastIndex(where: { $0 <= length }) else { return }
        writeLiteral(257 + index)
        let extra = index < 8 || index == 28 ? 0 : (index - 4) / 4
        write(UInt64(length - Self.lengthBases[index]), count: UInt64(extra))
    }

    private mutating func writeDistance(_ distance: Int) {
        guard let index = Self.distanceBases.lastIndex(where: { $0 <= distance }) else { return }
        writeCode(index, count: 5)
        write(UInt64(distance - Self.distanceBases[index]), count: UInt64(index < 4 ? 0 : (index - 2) / 2))
    }

    /// Writes a Huffman code, most significant bit first.
    private mutating func writeCode(_ code: Int, count: Int) {
        var reversed: UInt64 = 0
        for bit in 0..<count where code >> bit & 1 == 1 { reversed |= 1 << UInt64(count - 1 - bit) }
        write(reversed, count: UInt64(count))
    }

    private mutating func write(_ value: UInt64, count: UInt64) {
        bits |= value << bitCount
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }

    // MARK: Sums

    private static func adler32(_ data: Data) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }

    private static func crc32(_ data: Data) -> UInt32 {
        ~data.reduce(~UInt32(0)) { sum, byte in crcTable[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
    }
}
