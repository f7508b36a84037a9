#if os(Linux)
import MoyaTransport

/// Collects the header lines that libcurl delivers one at a time into heads.
///
/// Only the first line of a head is a status line, even if a later line looks like one (RFC 9112 section 4).
struct ResponseHeadReader {
    private enum State {
        /// Before a status line.
        case outside
        /// Within the field lines of a head.
        case inside
        /// After the final head, where further lines are trailers.
        case over
    }

    /// The limit of all heads of an exchange together, including interim heads and trailers.
    static let mostBytes = 256 * 1024
    static let mostFields = 1_000

    private var state = State.outside
    private(set) var status = 0
    /// The number of heads, including interim heads.
    private(set) var count: Int32 = 0
    private var byteCount = 0
    private var fieldCount = 0
    /// `true` if the last line belonged to a field that determines the end of the body.
    private var isFraming = false
    private var version = "HTTP/1.1"
    private var section: [UInt8] = []
    /// The lines after the final head.
    private var trailerSection: [UInt8] = []
    /// The length stated in the head.
    private(set) var statedLength: Int64?

    /// `true` if the body ends with its last chunk; with another coding it ends with the connection (RFC 9112 section
    /// 6.3).
    private(set) var isChunked = false

    /// `true` if a head states a malformed length, or two different ones.
    private(set) var hasMalformedLength = false
    /// `true` if a status is not a number of three digits; libcurl 8 reads only the first three (RFC 9112 section 4).
    private(set) var hasMalformedStatus = false
    /// `true` if the header lines so far exceed the limits.
    var isTooLarge: Bool { byteCount > Self.mostBytes || fieldCount > Self.mostFields }
    var hasTrailers: Bool { !trailerSection.isEmpty }
    /// The fields after the body (RFC 9112 section 7.1.2, RFC 9113 section 8.1).
    var trailers: [HTTPField] {
        guard !trailerSection.isEmpty else { return [] }
        return TransportResponseHead(status: status, version: version, section: trailerSection).fields
    }
    /// `true` if the response arrived on an HTTP/2 stream, whose connection is also read for others.
    var isOfStream: Bool { version == "HTTP/2" }
    /// `true` if the response claims a version that no session speaks; libcurl 8 accepts it.
    var isOfHTTP3: Bool { version == "HTTP/3" }
    /// `true` within a head that has begun.
    var isWithinHead: Bool { state == .inside }

    mutating func reset() {
        state = .outside
        status = 0
        count = 0
        byteCount = 0
        fieldCount = 0
        isFraming = false
        version = "HTTP/1.1"
        statedLength = nil
        isChunked = false
        hasMalformedLength = false
        hasMalformedStatus = false
        section.removeAll(keepingCapacity: true)
        trailerSection = []
    }

    /// Marks the last head as interim.
    mutating func expectAnother() { state = .outside }

    /// Takes a line with its line end; returns the completed head, if any.
    mutating func take(_ line: UnsafeRawBufferPointer) -> TransportResponseHead? {
        byteCount += line.count
        guard state != .over, !isTooLarge else {
            fieldCount += 1
            if !isTooLarge { trailerSection.append(contentsOf: line) }
            return nil
        }
        if state == .outside, line.starts(with: "HTTP/".utf8) {
            readStatusLine(line)
            return nil
        }
        guard state == .inside else { return nil }
        guard let first = line.first, first != UInt8(ascii: "\r"), first != UInt8(ascii: "\n") else {
            state = status < 200 && status != 101 ? .outside : .over
            // The head receives a copy of the exact size; the next head reuses the buffer.
            defer { section.removeAll(keepingCapacity: true) }
            let lines = section.withUnsafeBufferPointer { Array($0) }
            return TransportResponseHead(status: status, version: version, section: lines)
        }
        if ASCII.isBlank(first) {
            // A folded line continues the previous one (RFC 9112 section 5.2).
            if isFraming { hasMalformedLength = true }
        } else {
            fieldCount += 1
            isFraming =
                first | 0x20 == UInt8(ascii: "c") || first | 0x20 == UInt8(ascii: "t") ? readFraming(line) : false
        }
        section.append(contentsOf: line)
        return nil
    }

    /// Reads a field that determines the end of the body; `false` for any other line.
    ///
    /// White space before the colon is not part of the name, and libcurl ignores such a field (RFC 9112 section 5.1).
    private mutating func readFraming(_ line: UnsafeRawBufferPointer) -> Bool {
        let (length, coding): (StaticString, StaticString) = ("content-length", "transfer-encoding")
        let isLength = ASCII.hasPrefix(line, length)
        guard isLength || ASCII.hasPrefix(line, coding) else { return false }
        let nameLength = isLength ? length.utf8CodeUnitCount : coding.utf8CodeUnitCount
        switch line.count > nameLength ? line[nameLength] : 0 {
        case UInt8(ascii: ":"):
            if isLength { readLength(line) } else { readCodings(line[(nameLength + 1)...]) }
        case let next where ASCII.isBlank(next): hasMalformedLength = true
        default: return false
        }
        return true
    }

    /// Reads the names of transfer codings: only `chunked` was agreed on, since no request has a `TE` field, and any other
    /// leaves the end of the body in doubt (RFC 9112 section 6.1).
    private mutating func readCodings(_ value: Slice<UnsafeRawBufferPointer>) {
        // Some servers repeat the whole line, and code once.
        var isRepeated = false
        for part in value.split(separator: UInt8(ascii: ",")) {
            let start = part.drop(while: ASCII.isSpace)
            guard let last = start.lastIndex(where: { !ASCII.isSpace($0) }) else { continue }
            let name = UnsafeRawBufferPointer(rebasing: start[...last])
            if name.count == 8, ASCII.hasPrefix(name, "identity") { continue }
            if name.count != 7 || !ASCII.hasPrefix(name, "chunked") || isRepeated { hasMalformedLength = true }
            (isRepeated, isChunked) = (true, true)
        }
    }

    /// Reads the length in the line.
    private mutating func readLength(_ line: UnsafeRawBufferPointer) {
        var stated: Int64?
        var isOver = false
        for byte in line.drop(while: { $0 != UInt8(ascii: ":") }).dropFirst() {
            switch byte {
            case _ where ASCII.isSpace(byte):
                isOver = stated != nil
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isOver:
                let (shifted, tooLong) = (stated ?? 0).multipliedReportingOverflow(by: 10)
                let (sum, tooLarge) = shifted.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
                if tooLong || tooLarge { hasMalformedLength = true }
                stated = sum
            default:
                hasMalformedLength = true
            }
        }
        if stated == nil || (statedLength != nil && statedLength != stated) { hasMalformedLength = true }
        statedLength = stated
    }

    private mutating func readStatusLine(_ line: UnsafeRawBufferPointer) {
        state = .inside
        count &+= 1
        statedLength = nil
        isChunked = false
        isFraming = false
        section.removeAll(keepingCapacity: true)
        if section.capacity < 512 { section.reserveCapacity(512) }
        version = Self.version(line)
        status = 0
        // libcurl 8 accepts a tab, too.
        let blank = line.firstIndex(where: ASCII.isBlank) ?? line.count
        let digits = line.dropFirst(blank + 1).prefix(while: ASCII.isDigit)
        for byte in digits.prefix(3) { status = status * 10 + Int(byte - UInt8(ascii: "0")) }
        if digits.count != 3 || status < 100 { hasMalformedStatus = true }
    }

    private static func version(_ line: UnsafeRawBufferPointer) -> String {
        guard line.count >= 8 else { return "HTTP/1.1" }
        switch (line[5], line[7]) {
        case (UInt8(ascii: "2"), _): return "HTTP/2"
        case (UInt8(ascii: "3"), _): return "HTTP/3"
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): return "HTTP/1.0"
        default: return "HTTP/1.1"
        }
    }
}

extension UnsafeRawBufferPointer {
    /// `true` if the header line belongs to a challenge, or continues a line, and contains a control character, which
    /// libcurl would send back (RFC 9110 section 5.5).
    var isMalformedChallenge: Bool {
        guard ASCII.hasPrefix(self, "www-authenticate") || first.map(ASCII.isBlank) == true else { return false }
        var line = self[...]
        while line.last == UInt8(ascii: "\n") || line.last == UInt8(ascii: "\r") { line.removeLast() }
        return !line.allSatisfy(ASCII.isFieldByte)
    }
}
#endif
