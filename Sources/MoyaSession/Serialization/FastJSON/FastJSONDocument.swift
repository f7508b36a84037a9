#if FastJSON
import Foundation
import yyjson

/// A value in a document, followed in memory by the next.
typealias FastJSONNode = UnsafeMutablePointer<yyjson_val>

/// A document that yyjson has read, which lives as long as a decoder or container of it.
final class FastJSONDocument {
    /// The most levels of arrays and objects; Foundation decodes, or rejects, what is deeper.
    static let maximumDepth = 128

    let root: FastJSONNode
    let strategies: FastJSONStrategies

    private let pointer: UnsafeMutablePointer<yyjson_doc>
    private var camelCaseKeys: [String: String] = [:]

    /// Reads a document; `nil` if it is no JSON in UTF-8, or too deep.
    init?(_ data: Data, strategies: FastJSONStrategies) {
        let document = data.withUnsafeBytes {
            yyjson_read($0.bindMemory(to: CChar.self).baseAddress, $0.count, YYJSON_READ_NUMBER_AS_RAW)
        }
        guard let document, let root = yyjson_doc_get_root(document) else { return nil }
        guard Self.isShallow(root) else {
            yyjson_doc_free(document)
            return nil
        }
        pointer = document
        self.root = root
        self.strategies = strategies
    }

    deinit { yyjson_doc_free(pointer) }

    private static func isShallow(_ root: FastJSONNode) -> Bool {
        let end = root.next
        return withUnsafeTemporaryAllocation(of: FastJSONNode.self, capacity: maximumDepth) { ends in
            var depth = 0
            var node = root
            while node < end {
                while depth > 0, node >= ends[depth - 1] { depth -= 1 }
                if unsafe_yyjson_is_ctn(node) {
                    if depth == maximumDepth { return false }
                    ends[depth] = node.next
                    depth += 1
                }
                node += 1
            }
            return true
        }
    }

    /// The camel case of a key, remembered for the other objects of the document.
    func camelCase(of key: String) -> String {
        if let known = camelCaseKeys[key] { return known }
        let converted = key.convertedFromSnakeCase
        camelCaseKeys[key] = converted
        return converted
    }
}

extension FastJSONNode {
    /// The value behind this one and all that it contains.
    var next: FastJSONNode { unsafe_yyjson_get_next(self) }

    var isNull: Bool { unsafe_yyjson_is_null(self) }
    var isBool: Bool { unsafe_yyjson_is_bool(self) }
    var isString: Bool { unsafe_yyjson_is_str(self) }
    var isNumber: Bool { unsafe_yyjson_is_raw(self) }
    var isArray: Bool { unsafe_yyjson_is_arr(self) }
    var isObject: Bool { unsafe_yyjson_is_obj(self) }

    var bool: Bool { unsafe_yyjson_get_bool(self) }

    /// The count of elements or members.
    var count: Int { unsafe_yyjson_get_len(self) }

    /// The first element, or the first key.
    var first: FastJSONNode { self + 1 }

    /// The UTF-8 of a string, or the text of a number.
    var text: UnsafeBufferPointer<UInt8> {
        let start = UnsafeRawPointer(unsafe_yyjson_get_str(self)!).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: unsafe_yyjson_get_len(self))
    }

    var string: String { String(decoding: text, as: UTF8.self) }

    /// A description for errors, in Foundation's words.
    var kind: String {
        if isNull { return "null" }
        if isBool { return "bool" }
        if isString { return "a string" }
        if isNumber { return "number" }
        return isArray ? "an array" : "a dictionary"
    }
}
#endif
