/// The Public Suffix List as of the build, with ICANN's section and the private one, as a table of fingerprints.
///
/// A rule is hashed from its last byte to its first, so that one pass over a domain tests every parent. The top 11 bits
/// of the hash select a bucket, which stores four base-94 digits of the hash. One in 20 million domains is falsely
/// treated as a suffix: its cookies are then for that host alone. A rule is always found. A search makes no allocation.
/// `Scripts/public-suffixes` writes the table.
enum PublicSuffixTable {
    /// `true` if a domain of two labels or more matches a rule of the list.
    ///
    /// The parent domain of a wildcard counts as a suffix: a cookie for it would span them all.
    ///
    /// - Parameter countsPrivate: `true` to include the private section of the list.
    static func isPublicSuffix(_ domain: String, countsPrivate: Bool = true) -> Bool {
        var hash = Hash()
        var parent = hash
        for byte in domain.utf8.reversed() {
            if byte == UInt8(ascii: ".") { parent = hash }
            hash.add(byte)
        }
        if contains(hash, countsPrivate) || contains(hash.wildcard, countsPrivate) { return true }
        return contains(parent.wildcard, countsPrivate) && !exceptions.contains(domain)
    }

    // MARK: Fingerprints

    private static let digits = 4
    private static let base: UInt64 = 94

    private static func contains(_ hash: Hash, _ countsPrivate: Bool) -> Bool {
        let value = hash.mixed
        let bucket = Int(value >> 53)
        var rest = value % (base * base * base * base)
        var wanted: UInt32 = 0
        for digit in 0..<UInt32(digits) {
            wanted |= UInt32(33 + rest % base) << (8 * digit)
            rest /= base
        }
        let bytes = UnsafeRawPointer(fingerprints.utf8Start)
        let privateCount = countsPrivate ? 0 : Int(privateCounts.utf8Start[bucket] - UInt8(ascii: "a"))
        return (Int(starts[bucket])..<Int(starts[bucket + 1]) - privateCount).contains { index in
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * digits, as: UInt32.self)) == wanted
        }
    }

    /// The index of the first fingerprint of each bucket, and the total number.
    private static let starts: [UInt16] = {
        var starts: [UInt16] = [0]
        var sum: UInt16 = 0
        for count in UnsafeBufferPointer(start: counts.utf8Start, count: counts.utf8CodeUnitCount) {
            sum += UInt16(count - UInt8(ascii: "a"))
            starts.append(sum)
        }
        return starts
    }()

    /// FNV-1a over the bytes of a domain, from the last to the first.
    private struct Hash {
        private var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

        /// The hash of the wildcard rule below the domain.
        var wildcard: Hash {
            var hash = self
            hash.add(UInt8(ascii: "."))
            hash.add(UInt8(ascii: "*"))
            return hash
        }

        var mixed: UInt64 {
            let mixed = (value ^ value >> 32) &* 0x9E37_79B9_7F4A_7C15
            return mixed ^ mixed >> 32
        }
    }
}
