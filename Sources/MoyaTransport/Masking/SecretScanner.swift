/// Finds and masks the secrets in bytes.
///
/// It scans the bytes once and records replacements, usually none. Recursion depth, and the number of times each byte
/// is read, are bounded by constants for any input: text within text, which encodings may multiply, has a budget.
///
/// It is a class, since each step of a scan would copy a struct of this size, and is used again for each text within its
/// text.
final class SecretScanner {
    /// A range whose bytes are replaced.
    private struct Edit {
        let range: Range<Int>
        let replacement: Replacement
    }

    /// The replacement of a secret.
    enum Replacement {
        /// The mask.
        case bare
        /// The mask as a JSON string.
        case quoted
        /// Bytes whose secrets are already masked.
        case bytes([UInt8])
    }

    /// The maximum depth of text encoded within text; deeper text is masked whole.
    static let maximumLevel = 8

    /// The decoded bytes that a scan reads for each byte of its text, before values are masked without decoding.
    private static let decodingsPerByte = 8
    /// An addition to the size of the text, so that many encodings of a short value are decoded.
    private static let shortText = 4096

    @exclusivity(unchecked) private(set) var bytes: UnsafeBufferPointer<UInt8>
    let isSecret: (String) -> Bool
    /// The number of encodings removed so far.
    let level: Int
    /// The bytes that may still be read more than once, shared with the scanners of text within text.
    ///
    /// Each layer of an encoding would otherwise double the work of the layer around it.
    @exclusivity(unchecked) private(set) var budget: Int
    /// The open objects and arrays.
    @exclusivity(unchecked) var frames: [JSONFrame] = []
    @exclusivity(unchecked) var verdicts: [JSONVerdict] = []
    /// The text without white space that was searched last for `@`.
    @exclusivity(unchecked) private var word: (range: Range<Int>, limit: Int, lastAt: Int?)?
    @exclusivity(unchecked) private var edits: [Edit] = []
    @exclusivity(unchecked) private var areEditsSorted = true
    /// `true` if the text contains no white space.
    var isOneWord: Bool {
        if let knownOneWord { return knownOneWord }
        let isOneWord = !bytes.contains(where: Self.isSpace)
        knownOneWord = isOneWord
        return isOneWord
    }
    @exclusivity(unchecked) private var knownOneWord: Bool?
    /// The end of the last bytes that are replaced so far.
    @exclusivity(unchecked) private var maskedEnd = 0
    /// The end of the last text whose percent-encoding was removed.
    @exclusivity(unchecked) var percentEnd = 0
    /// The end of the last text whose entities were decoded.
    @exclusivity(unchecked) private var decodedEnd = 0
    /// Verdicts on short names, so that a frequent one is looked up once.
    @exclusivity(unchecked) private var names: [(name: ShortName, isSecret: Bool)?] = []
    private static let knownNames = 64
    /// The scanner of text within this text, one after the other.
    @exclusivity(unchecked) private var inner: SecretScanner?

    convenience init(_ bytes: UnsafeBufferPointer<UInt8>, _ isSecret: @escaping (String) -> Bool) {
        // A product that an `Int` of 32 bits may not hold.
        let budget = Int64(Self.decodingsPerByte) * (Int64(bytes.count) + Int64(Self.shortText))
        self.init(bytes, isSecret, level: 0, budget: Int(clamping: budget))
    }

    private init(
        _ bytes: UnsafeBufferPointer<UInt8>, _ isSecret: @escaping (String) -> Bool, level: Int, budget: Int
    ) {
        self.bytes = bytes
        self.isSecret = isSecret
        self.level = level
        self.budget = budget
    }

    /// Begins another text, with the memory of the last one.
    private func begin(_ bytes: UnsafeBufferPointer<UInt8>, budget: Int) {
        self.bytes = bytes
        self.budget = budget
        frames.removeAll(keepingCapacity: true)
        if !verdicts.isEmpty { verdicts = [] }
        edits.removeAll(keepingCapacity: true)
        areEditsSorted = true
        word = nil
        knownOneWord = nil
        (maskedEnd, percentEnd, decodedEnd) = (0, 0, 0)
    }

    // MARK: Result

    /// The bytes with secrets masked; `nil` if there are none.
    var result: [UInt8]? {
        guard !edits.isEmpty else { return nil }
        var edits = edits
        if !areEditsSorted {
            edits.sort { ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound) }
        }
        var masked: [UInt8] = []
        masked.reserveCapacity(bytes.count)
        var copied = 0
        for edit in edits {
            // A secret may lie within another, found later.
            if edit.range.lowerBound >= copied {
                masked += bytes[copied..<edit.range.lowerBound]
                switch edit.replacement {
                case .bare: masked += SecretMask.text.utf8
                case .quoted: masked += "\"\(SecretMask.text)\"".utf8
                case .bytes(let bytes): masked += bytes
                }
            }
            copied = max(copied, edit.range.upperBound)
        }
        masked += bytes[copied...]
        return masked
    }

    func replace(_ range: Range<Int>, with replacement: Replacement) {
        guard !range.isEmpty else { return }
        if let last = edits.last, last.range.upperBound > range.lowerBound { areEditsSorted = false }
        edits.append(Edit(range: range, replacement: replacement))
        maskedEnd = max(maskedEnd, range.upperBound)
    }

    // MARK: Forms of text

    /// Masks any text.
    func maskText() { scan(0..<bytes.count) }

    /// Masks a body by its apparent format: a multipart form, a form, or text that may contain JSON or XML.
    func maskBody() {
        // ASCII in UTF-16 or UTF-32 is ASCII with zeros between.
        if bytes.prefix(4).contains(0) {
            let text = bytes.filter { $0 != 0 && $0 != 0xFE && $0 != 0xFF }
            if let masked = masked(text, { $0.maskBody() }) { replace(0..<bytes.count, with: .bytes(masked)) }
            return
        }
        maskBody(0..<bytes.count, depth: 0)
    }

    func maskBody(_ range: Range<Int>, depth: Int) {
        var start = range.lowerBound
        if bytes[range].starts(with: [0xEF, 0xBB, 0xBF]) { start += 3 }
        while start < range.upperBound, Self.isSpace(bytes[start]) { start += 1 }
        let text = start..<range.upperBound
        if depth < Self.maximumLevel, maskMultipart(text, depth: depth) { return }
        guard isForm(text) else { return scan(text) }
        var end = text.upperBound
        while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
        maskItems(start..<end, separator: UInt8(ascii: "&"), isForm: true)
    }

    /// Scans any text: prose with URLs, header lines, JSON, XML, debugger output.
    func scan(_ range: Range<Int>) {
        let outer = frames.count
        var position = range.lowerBound
        while position < range.upperBound {
            switch bytes[position] {
            case UInt8(ascii: "\""): position = maskQuoted(at: position, in: range, outer: outer)
            case UInt8(ascii: "'"): position = maskPythonPair(at: position, in: range)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                position =
                    maskBlock(at: position, in: range)
                    ?? openFrame(at: position, end: range.upperBound, depth: frames.count - outer)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                position += 1
                if frames.count > outer { closeFrame(at: position) }
            case UInt8(ascii: "="): position = maskPair(at: position, in: range)
            case UInt8(ascii: ":"): position = maskField(at: position, in: range)
            case UInt8(ascii: "<"): position = maskElement(at: position, in: range)
            case UInt8(ascii: "-"):
                position = maskOption(at: position, in: range) ?? maskPrivateKey(at: position, in: range)
            case UInt8(ascii: "%"): position = maskPercentEncodedText(at: position, in: range)
            case 0x20: position = maskCredentials(at: position, in: range)
            case Self.slash: position = maskAuthority(afterSlash: position, in: range)
            case UInt8(ascii: "&") where position >= max(decodedEnd, maskedEnd):
                position = maskEntities(at: position, in: range, outer: outer)
            case Self.backslash where position + 1 < range.upperBound && bytes[position + 1] == Self.quote:
                // Text between quotes.
                maskEscaped(position..<range.upperBound)
                position = range.upperBound
            default: position += 1
            }
        }
        while frames.count > outer { closeFrame(at: range.upperBound) }
    }

    // MARK: Text within text

    /// Decodes text into a buffer of its size, and returns the number of decoded bytes.
    typealias Decoding = (Slice<UnsafeBufferPointer<UInt8>>, UnsafeMutableBufferPointer<UInt8>) -> Int

    static func decoded(_ text: Slice<UnsafeBufferPointer<UInt8>>, by decode: Decoding) -> [UInt8] {
        var decoded = [UInt8](repeating: 0, count: text.count)
        let count = decoded.withUnsafeMutableBufferPointer { decode(text, $0) }
        decoded.removeLast(decoded.count - count)
        return decoded
    }

    static func decoded(_ text: [UInt8], by decode: Decoding) -> [UInt8] {
        text.withUnsafeBufferPointer { decoded($0[...], by: decode) }
    }

    /// The text decoded and masked; `nil` if it contains no secret, the mask alone if it must not be read.
    ///
    /// Short text is decoded on the stack.
    private func masked(
        _ text: Slice<UnsafeBufferPointer<UInt8>>, decodedBy decode: Decoding, _ mask: (SecretScanner) -> Void
    ) -> [UInt8]? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { decoded in
            masked(UnsafeBufferPointer(rebasing: decoded[..<decode(text, decoded)]), mask)
        }
    }

    /// The decoded bytes, masked; `nil` if they contain no secret, the mask alone if they must not be read.
    func masked(_ decoded: [UInt8], _ mask: (SecretScanner) -> Void) -> [UInt8]? {
        decoded.withUnsafeBufferPointer { masked($0, mask) }
    }

    private func masked(_ decoded: UnsafeBufferPointer<UInt8>, _ mask: (SecretScanner) -> Void) -> [UInt8]? {
        spend(decoded.count)
        guard level < Self.maximumLevel, budget >= 0 else { return Array(SecretMask.text.utf8) }
        let scanner = inner ?? SecretScanner(decoded, isSecret, level: level + 1, budget: budget)
        if inner == nil { inner = scanner } else { scanner.begin(decoded, budget: budget) }
        mask(scanner)
        budget = scanner.budget
        return scanner.result
    }

    /// Counts bytes that are read once more; a negative budget is spent.
    func spend(_ count: Int) { budget -= count }

    /// Masks text with JSON escapes.
    func maskEscaped(_ range: Range<Int>) {
        guard let masked = masked(bytes[range], decodedBy: JSONEscapes.remove, { $0.maskBody() }) else { return }
        replace(range, with: .bytes(JSONEscapes.adding(to: masked)))
    }

    /// Masks text up to the next tag if an entity of markup begins a tag or a string there.
    ///
    /// Text whose decoded form has no secret is scanned as it is, without decoding it again.
    ///
    /// - Returns: The offset at which to continue.
    private func maskEntities(at ampersand: Int, in range: Range<Int>, outer: Int) -> Int {
        guard MarkupEntities.beginsText(after: ampersand, in: bytes[range]) else { return ampersand + 1 }
        let end = firstIndex(of: UInt8(ascii: "<"), in: ampersand..<range.upperBound) ?? range.upperBound
        let first = max(range.lowerBound, decodedEnd, maskedEnd)
        var start = ampersand
        // The name of a value may precede its first entity.
        while start > first, !ASCII.isOne(of: "<>\"", bytes[start - 1]) { start -= 1 }
        decodedEnd = end
        let text = bytes[start..<end]
        guard masked(text, decodedBy: MarkupEntities.remove, { $0.maskText() }) != nil else { return ampersand + 1 }
        // A decoded quotation mark may hide a secret outside the entities.
        let raw = masked(UnsafeBufferPointer(rebasing: text)) { scanner in
            scanner.decodedEnd = text.count
            scanner.maskText()
        }
        let decoded =
            raw.map { Self.decoded($0, by: MarkupEntities.remove) } ?? Self.decoded(text, by: MarkupEntities.remove)
        let shown = masked(decoded) { $0.maskText() } ?? decoded
        replace(start..<end, with: .bytes(MarkupEntities.adding(to: shown)))
        // The bytes that close these are skipped.
        while frames.count > outer, frames[frames.count - 1].start >= start { frames.removeLast() }
        return end
    }

    // MARK: Bytes

    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let slash = UInt8(ascii: "/")

    /// `true` if text may contain a secret, by its bytes.
    static func mayTell(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        text.contains { mayTell($0) || $0 == UInt8(ascii: "-") || $0 == 0x20 }
    }

    /// `true` if a byte may belong to a secret; text without such bytes, two hyphens and blanks contains none.
    static func mayTell(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: "@"), UInt8(ascii: "\""),
            UInt8(ascii: "&"), UInt8(ascii: "'"):
            true
        default: false
        }
    }

    /// `true` for a quotation mark, double or single.
    func isMark(_ position: Int) -> Bool { bytes[position] == Self.quote || bytes[position] == UInt8(ascii: "'") }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 0x09 && byte <= 0x0D }

    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? { bytes[range].firstIndex(of: byte) }

    func lastIndex(of byte: UInt8, in range: Range<Int>) -> Int? { bytes[range].lastIndex(of: byte) }

    /// The offset of the last `@` before white space, a quotation mark or an angle bracket.
    ///
    /// The result is kept for the next URL of the same word, so that each byte is searched once.
    func lastAt(from start: Int, to limit: Int) -> Int? {
        if let word, word.range.contains(start), word.limit == limit {
            return word.lastAt.flatMap { $0 >= start ? $0 : nil }
        }
        var end = start
        var lastAt: Int?
        while end < limit, bytes[end] > 0x20, bytes[end] != Self.quote, bytes[end] != UInt8(ascii: "<"),
            bytes[end] != UInt8(ascii: ">")
        {
            if bytes[end] == UInt8(ascii: "@") { lastAt = end }
            end += 1
        }
        word = (start..<end, limit, lastAt)
        return lastAt
    }

    func skipSpace(from position: Int, to end: Int) -> Int {
        var position = position
        while position < end, Self.isSpace(bytes[position]) { position += 1 }
        return position
    }

    /// `true` if a text stands at a position.
    func begins(with text: StaticString, at position: Int, to end: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= end else { return false }
        return text.withUTF8Buffer { slice(position..<position + count).elementsEqual($0) }
    }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

    /// `true` if a name denotes a secret, as it is.
    func isSecretWord(_ range: Range<Int>) -> Bool {
        guard let name = ShortName(slice(range)) else { return isSecret(String(decoding: slice(range), as: UTF8.self)) }
        if names.isEmpty { names = Array(repeating: nil, count: Self.knownNames) }
        let slot = name.slot(of: Self.knownNames)
        if let known = names[slot], known.name == name { return known.isSecret }
        let isSecret = isSecret(String(decoding: slice(range), as: UTF8.self))
        names[slot] = (name, isSecret)
        return isSecret
    }

    /// `true` if a name denotes a secret, as it is or percent-decoded once or repeatedly.
    ///
    /// A name that is encoded more often than ``maximumLevel`` counts as one.
    func isSecretName(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty else { return false }
        if isSecretWord(range) { return true }
        guard firstIndex(of: UInt8(ascii: "%"), in: range) != nil else { return false }
        var name = Self.decoded(bytes[range], by: Self.removePercents)
        for _ in 0..<Self.maximumLevel {
            if isSecret(String(decoding: name, as: UTF8.self)) { return true }
            let decoded = Self.decoded(name, by: Self.removePercents)
            guard decoded.count < name.count else { return false }
            name = decoded
        }
        return true
    }
}

/// The bytes of a name, and its length.
private struct ShortName: Equatable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private let count: Int

    /// `nil` for a name of more than 16 bytes.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= 16 else { return nil }
        count = bytes.count
        for byte in bytes.prefix(8) { first = first << 8 | UInt64(byte) }
        for byte in bytes.dropFirst(8) { second = second << 8 | UInt64(byte) }
    }

    /// The index in a table of so many slots, a power of two.
    func slot(of count: Int) -> Int {
        Int(truncatingIfNeeded: ((first ^ second &* 31) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (count - 1)
    }
}
