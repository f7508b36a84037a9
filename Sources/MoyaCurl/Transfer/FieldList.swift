#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// The header lines of a request as libcurl wants them, in storage that is used again for the next request: libcurl's
/// own way takes two allocations a line.
final class FieldList {
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

    func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    /// Adds `Name: value`; a field without a value is spelled `Name;`, or libcurl would leave it out.
    ///
    /// Returns `false` for a name that is no token, or a value that would end its line (RFC 9110 section 5): whoever
    /// made the request should have refused it, and the wire does not rely on that.
    func add(_ name: String, _ value: String) -> Bool {
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
    func suppress(_ name: StaticString) {
        starts.append(bytes.count)
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0)
    }

    /// The list, valid until the next change; `nil` when it is empty.
    func linked() -> UnsafeMutablePointer<curl_slist>? {
        guard !starts.isEmpty else { return nil }
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
        guard let text, let nodes else { return nil }
        bytes.withUnsafeBytes { UnsafeMutableRawPointer(text).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        for (index, start) in starts.enumerated() {
            let next = index + 1 < starts.count ? nodes + (index + 1) : nil
            (nodes + index).initialize(to: curl_slist(data: text + start, next: next))
        }
        return nodes
    }
}
#endif
