public import Foundation

extension JSONEncoder {
    /// The encoder of calls without an explicit one, with Foundation's default strategies.
    ///
    /// Each access creates a new encoder, whose settings can be changed. With the default strategies and without output
    /// formatting it writes members in the order in which they are encoded; otherwise Foundation encodes.
    public static var moyaDefault: JSONEncoder { OnePassJSONEncoder() }
}

/// Encodes values in one pass, several times faster than Foundation builds a tree of them.
///
/// Foundation encodes if a strategy or the output formatting is not the default, and if a value cannot be written in one
/// pass: it returns to an earlier container, encodes a key twice, or throws. Each error is therefore Foundation's, except
/// that of a value that is nested too deep (``NestingError``).
final class OnePassJSONEncoder: JSONEncoder, @unchecked Sendable {
    override func encode<T: Encodable>(_ value: T) throws -> Data {
        guard hasDefaultSettings else { return try super.encode(value) }
        let writer = JSONValueWriter(userInfo: userInfo)
        return try writer.data(of: value) ?? super.encode(value)
    }

    private var hasDefaultSettings: Bool {
        guard outputFormatting.isEmpty, case .useDefaultKeys = keyEncodingStrategy,
            case .deferredToDate = dateEncodingStrategy, case .base64 = dataEncodingStrategy,
            case .throw = nonConformingFloatEncodingStrategy
        else { return false }
        return true
    }
}
