#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// The header lines of a request as libcurl wants them, in storage that is used again for the next request: libcurl's
/// own way takes two allocations a line.
///
/// Requests of one session send mostly the same fields: a list like the one before is not made again.
struct FieldList: ~Copyable {
    private var fields: [HTTPField] = []
    private var suppressesExpect = false
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

    /// Makes the list of these fields; returns the name of the first that cannot be sent.
    ///
    /// - Parameter suppressesExpect: Whether libcurl has to be kept from adding an Expect that the fields do not have.
    mutating func take(_ fields: [HTTPField], suppressesExpect: Bool) -> String? {
        guard self.fields != fields || self.suppressesExpect != suppressesExpect || starts.isEmpty else { return nil }
        self.fields = fields
        self.suppressesExpect = suppressesExpect
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        var expects = false
        for field in fields {
            guard add(field.name, field.value) else {
                starts.removeAll(keepingCapacity: true)
                return field.name
            }
            if ASCII.equalIgnoringCase(field.name, "expect") { expects = true }
        }
        if suppressesExpect, !expects { suppress("Expect") }
        link()
        return nil
    }

    /// The list, valid until the next change; `nil` when it is empty.
    var linked: UnsafeMutablePointer<curl_slist>? { starts.isEmpty ? nil : nodes }

    /// Adds `Name: value`; a field without a value is spelled `Name;`, or libcurl would leave it out.
    ///
    /// Returns `false` for a name that is no token, or a value that would end its line (RFC 9110 section 5): whoever
    /// made the request should have refused it, and the wire does not rely on that.
    private mutating func add(_ name: String, _ value: String) -> Bool {
        let start = bytes.count
        starts.append(start)
        bytes.append(contentsOf: name.utf8)
        if value.isEmpty {
            bytes.append(UInt8(ascii: ";"))
        } else {
            bytes.append(UInt8(ascii: ":"))
            bytes.append(UInt8(ascii: " "))
            bytes.append(contentsOf: value.utf8)
        }
        let isOneLine = bytes[start...].allSatisfy { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") && $0 != 0 }
        bytes.append(0)
        return isOneLine && ASCII.isToken(name)
    }

    /// Keeps libcurl from adding a field of that name by itself.
    private mutating func suppress(_ name: StaticString) {
        starts.append(bytes.count)
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: ":"))
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
