import Foundation
import MoyaTransport

/// Decodes bodies of many levels on a thread with a stack that is large enough.
///
/// `JSONDecoder` accepts 512 levels, and `PropertyListSerialization` as many. A type that decodes itself, as for a tree, uses
/// a kibibyte of stack or more for each, of the half megabyte of a Dispatch thread on Apple's systems.
package enum BoundedDepth {
    /// The most levels that are decoded on the caller's thread.
    private static let shallowLevels = 128

    /// The value of a body.
    ///
    /// - Throws: the decoder's error, or that of `PropertyListSerialization` for a property list that it refuses.
    package static func decode<T: Decodable>(
        _ type: T.Type, from data: Data, with decoder: some DataDecoder
    ) throws -> T {
        #if FastJSON
        // It has parsed the document when it needs to know the depth.
        if decoder is FastJSONDecoder { return try decoder.decode(type, from: data) }
        #endif
        if decoder is PropertyListDecoder {
            // The decoder itself bounds no depth on Linux, and follows an array that contains itself without end.
            _ = try PropertyListSerialization.propertyList(from: data, format: nil)
            return try onLargeStack { try decoder.decode(type, from: data) }
        }
        let allowsJSON5 = (decoder as? JSONDecoder)?.allowsJSON5 ?? false
        return try run(data, allowsJSON5: allowsJSON5) { try decoder.decode(type, from: data) }
    }

    /// Runs a closure that decodes a body, on the thread that its depth needs.
    static func run<T>(_ data: Data, allowsJSON5: Bool, _ body: () throws -> T) throws -> T {
        guard data.count > shallowLevels, allowsJSON5 || isDeep(data) else { return try body() }
        return try onLargeStack(body)
    }

    private static func onLargeStack<T>(_ body: () throws -> T) throws -> T {
        try LargeStack.run { Result { try body() } }.get()
    }

    /// `true` if JSON has more levels than the caller's thread decodes, or is not in UTF-8.
    private static func isDeep(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            // UTF-16 and UTF-32 have null bytes, or marks, in their first character.
            if bytes.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) { return true }
            var (depth, index) = (0, 0)
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    if depth > shallowLevels { return true }
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                case UInt8(ascii: "\""): index = endOfString(in: bytes, from: index + 1)
                default: break
                }
                index += 1
            }
            return false
        }
    }

    /// The index of the quotation mark that ends a string, or of the end.
    private static func endOfString(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index
    }
}
