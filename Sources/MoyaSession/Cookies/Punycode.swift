/// Names of hosts in ASCII that stand for names in other scripts (RFC 3492).
enum Punycode {
    /// The host with every `xn--` label in its own script; a label that is malformed is left as it is.
    static func unicode(of host: String) -> String {
        guard host.contains("xn--") else { return host }
        return host.split(separator: ".", omittingEmptySubsequences: false)
            .map { label in label.hasPrefix("xn--") ? decode(label.dropFirst(4)) ?? String(label) : String(label) }
            .joined(separator: ".")
    }

    /// Decodes one label; `nil` where it is malformed.
    static func decode(_ text: Substring) -> String? {
        var input = text.utf8
        var output: [Unicode.Scalar] = []
        if let hyphen = input.lastIndex(of: UInt8(ascii: "-")) {
            output = input[..<hyphen].map { Unicode.Scalar($0) }
            input = input[hyphen...].dropFirst()
        }
        // A label has 63 bytes at most, so that nothing here can grow beyond 63 scalars.
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

    /// A number of digits to the base 36, the last of which is the first below its threshold.
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
