/// ASCII names of internationalized hosts (RFC 3492).
enum Punycode {
    /// The host with every `xn--` label decoded; a malformed label is unchanged.
    static func unicode(of host: String) -> String {
        guard host.contains("xn--") else { return host }
        return host.split(separator: ".", omittingEmptySubsequences: false)
            .map { label in label.hasPrefix("xn--") ? decode(label.dropFirst(4)) ?? String(label) : String(label) }
            .joined(separator: ".")
    }

    /// Decodes one label; `nil` if it is malformed.
    static func decode(_ text: Substring) -> String? {
        var input = text.utf8
        var output: [Unicode.Scalar] = []
        if let hyphen = input.lastIndex(of: UInt8(ascii: "-")) {
            output = input[..<hyphen].map { Unicode.Scalar($0) }
            input = input[hyphen...].dropFirst()
        }
        // A label has at most 63 bytes, so nothing here can exceed 63 scalars.
        guard text.utf8.count <= 63, output.allSatisfy(\.isASCII) else { return nil }
        var codePoint = 128
        var position = 0
        var bias = 72
        while !input.isEmpty {
            let start = position
            guard let step = readInteger(&input, bias: bias), position <= Int(UInt32.max) else { return nil }
            position += step
            let count = output.count + 1
            bias = adapted(position - start, count: count, isFirst: start == 0)
            codePoint += position / count
            position %= count
            guard let scalar = UInt32(exactly: codePoint).flatMap(Unicode.Scalar.init) else { return nil }
            output.insert(scalar, at: position)
            position += 1
        }
        return String(String.UnicodeScalarView(output))
    }

    /// Reads base-36 digits up to the first one below its threshold.
    private static func readInteger(_ input: inout Substring.UTF8View, bias: Int) -> Int? {
        var value = 0
        var weight = 1
        var place = 36
        while true {
            guard let digit = input.popFirst().flatMap(digit), weight < 1 << 32 else { return nil }
            value += digit * weight
            guard value < 1 << 32 else { return nil }
            let threshold = min(max(place - bias, 1), 26)
            if digit < threshold { return value }
            weight *= 36 - threshold
            place += 36
        }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    /// The bias of the next number (RFC 3492 section 6.1).
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }
}
