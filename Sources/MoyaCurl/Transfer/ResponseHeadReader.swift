#if os(Linux)
import MoyaTransport

/// Gathers header lines as libcurl hands them over, one at a time, into heads.
struct ResponseHeadReader {
    private enum State {
        /// Before a status line.
        case outside
        /// Among the field lines of a head.
        case inside
        /// After the final head, where further lines are trailers.
        case over
    }

    private var state = State.outside
    private var status = 0
    private var version = "HTTP/1.1"
    private var section: [UInt8] = []
    private var length: Int64?

    /// Whether a head states a length that is none, or two that differ.
    private(set) var hasMalformedLength = false
    /// Whether a head has begun and not ended.
    var isWithinHead: Bool { state == .inside }

    mutating func reset() {
        state = .outside
        status = 0
        hasMalformedLength = false
        section.removeAll(keepingCapacity: true)
    }

    /// Says that the head just taken is not the final one.
    mutating func expectAnother() { state = .outside }

    /// Takes a line with its line end; returns the head that it completes.
    mutating func take(_ line: UnsafeRawBufferPointer) -> TransportResponseHead? {
        guard state != .over else { return nil }
        if line.count >= 5, line[0] == UInt8(ascii: "H"), line[1] == UInt8(ascii: "T"), line[2] == UInt8(ascii: "T"),
            line[3] == UInt8(ascii: "P"), line[4] == UInt8(ascii: "/")
        {
            begin(line)
            return nil
        }
        guard state == .inside else { return nil }
        guard let first = line.first, first != UInt8(ascii: "\r"), first != UInt8(ascii: "\n") else {
            state = status < 200 && status != 101 ? .outside : .over
            defer { section = [] }
            return TransportResponseHead(status: status, version: version, section: section)
        }
        if first | 0x20 == UInt8(ascii: "c") { readLength(line) }
        section.append(contentsOf: line)
        return nil
    }

    /// Reads the length that the line states, if it does.
    private mutating func readLength(_ line: UnsafeRawBufferPointer) {
        let name: StaticString = "content-length:"
        let letters = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard line.count >= letters.count,
            line.prefix(letters.count).elementsEqual(letters, by: { ASCII.lowercased($0) == $1 })
        else { return }
        var stated: Int64?
        var isOver = false
        for byte in line[letters.count...] {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
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
        if stated == nil || (length != nil && length != stated) { hasMalformedLength = true }
        length = stated
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer) {
        state = .inside
        length = nil
        section.removeAll(keepingCapacity: true)
        if section.capacity < 512 { section.reserveCapacity(512) }
        version = Self.version(line)
        status = 0
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return }
        for byte in line[(space + 1)...].prefix(3) where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
            status = status * 10 + Int(byte - UInt8(ascii: "0"))
        }
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
#endif
