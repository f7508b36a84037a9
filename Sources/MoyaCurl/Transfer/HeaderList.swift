#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// The header lines of a request in libcurl's form, in storage that the next request reuses: libcurl's own function
/// makes two allocations per line.
///
/// Requests of one session usually send the same fields: a list equal to the previous one is not rebuilt.
struct HeaderList: ~Copyable {
    private var fields: [HTTPField] = []
    private var suppressesExpect = false
    private var isExpectSuppressed = false
    /// `true` if the list has an Expect.
    private(set) var expects = false
    private var hasBody = false
    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    private var nodes: UnsafeMutablePointer<curl_slist>?
    private var text: UnsafeMutablePointer<CChar>?
    private var nodeCapacity = 0
    private var textCapacity = 0

    deinit {
        nodes?.deallocate()
        text?.deallocate()
    }

    /// Builds the list of these fields; returns the name of the first field that cannot be sent.
    ///
    /// Fields of the connection are dropped (see ``HTTPField/fate(_:_:)``), as is an Expect without a body (RFC 9110
    /// section 10.1.1).
    ///
    /// - Parameters:
    ///   - suppressesExpect: `true` if libcurl must not add an Expect that is missing in the fields.
    ///   - hasBody: `true` if the request has a body.
    mutating func take(_ fields: [HTTPField], suppressesExpect: Bool, hasBody: Bool) -> String? {
        guard
            self.fields != fields || self.suppressesExpect != suppressesExpect || self.hasBody != hasBody
                || starts.isEmpty
        else { return nil }
        self.fields = fields
        self.suppressesExpect = suppressesExpect
        self.hasBody = hasBody
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        if let refused = add(fields) {
            starts.removeAll(keepingCapacity: true)
            return refused
        }
        isExpectSuppressed = suppressesExpect && !expects
        if isExpectSuppressed {
            starts.append(bytes.count)
            bytes += "Expect:\0".utf8
        }
        link()
        return nil
    }

    /// Adds the lines of fields; returns the name of the first field that cannot be sent.
    private mutating func add(_ fields: [HTTPField]) -> String? {
        expects = false
        var (hasCookie, hasRange, hasCodings) = (false, false, false)
        for field in fields {
            switch HTTPField.fate(field.name, field.value) {
            case .sent: break
            case .dropped: continue
            case .refused: return field.name
            }
            if ASCII.equalIgnoringCase(field.name, "cookie") {
                // A request has one such field (RFC 6265 section 5.4).
                guard !hasCookie else { continue }
                hasCookie = true
                let all = fields.filter { ASCII.equalIgnoringCase($0.name, "cookie") }
                add(field.name, all.count > 1 ? all.map(\.value).joined(separator: "; ") : field.value)
                continue
            }
            if ASCII.equalIgnoringCase(field.name, "expect") {
                guard hasBody else { continue }
                expects = true
            }
            if ASCII.equalIgnoringCase(field.name, "range") { hasRange = true }
            if ASCII.equalIgnoringCase(field.name, "accept-encoding") { hasCodings = true }
            add(field.name, field.value)
        }
        // A part of a coded form cannot be decoded, and is not the part that was asked for (RFC 9110 section 14.2).
        if hasRange, !hasCodings { add("Accept-Encoding", "identity") }
        return nil
    }

    /// Rebuilds the list without its Expect.
    mutating func dropExpect() {
        _ = take(
            fields.filter { !ASCII.equalIgnoringCase($0.name, "expect") }, suppressesExpect: true, hasBody: hasBody)
    }

    /// The number of fields that are sent.
    var sentCount: Int { starts.count - (isExpectSuppressed ? 1 : 0) }

    /// The number of bytes in all lines.
    var byteCount: Int { bytes.count }

    /// The list, valid until the next change; `nil` if it is empty.
    var linked: UnsafeMutablePointer<curl_slist>? { starts.isEmpty ? nil : nodes }

    /// Adds `Name: value`; a field with an empty or blank value is written `Name;`, since libcurl would drop it
    /// otherwise.
    private mutating func add(_ name: String, _ value: String) {
        starts.append(bytes.count)
        bytes.append(contentsOf: name.utf8)
        // White space around a value does not belong to it, and violates HTTP/2 (RFC 9113 section 8.2.1).
        let start = value.utf8.drop(while: ASCII.isBlank)
        if let last = start.lastIndex(where: { !ASCII.isBlank($0) }) {
            bytes.append(UInt8(ascii: ":"))
            bytes.append(UInt8(ascii: " "))
            bytes.append(contentsOf: start[...last])
        } else {
            bytes.append(UInt8(ascii: ";"))
        }
        bytes.append(0)
    }

    private mutating func link() {
        guard !starts.isEmpty else { return }
        if textCapacity < bytes.count {
            text?.deallocate()
            textCapacity = max(1024, bytes.count * 2)
            text = .allocate(capacity: textCapacity)
        }
        if nodeCapacity < starts.count {
            nodes?.deallocate()
            nodeCapacity = max(16, starts.count * 2)
            nodes = .allocate(capacity: nodeCapacity)
        }
        guard let text, let nodes else { return }
        bytes.withUnsafeBytes { UnsafeMutableRawPointer(text).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        for (index, start) in starts.enumerated() {
            let next = index + 1 < starts.count ? nodes + (index + 1) : nil
            (nodes + index).initialize(to: curl_slist(data: text + start, next: next))
        }
    }
}
#endif
