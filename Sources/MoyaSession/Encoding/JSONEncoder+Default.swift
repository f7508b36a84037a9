public import Foundation

extension JSONEncoder {
    /// The encoder of calls without an explicit one, with Foundation's default strategies.
    ///
    /// Each access creates a new encoder, whose settings can be changed. With the default strategies and without output
    /// formatting it writes members in the order in which they are encoded; otherwise Foundation encodes.
    public static var moyaDefault: JSONEncoder { OnePassJSONEncoder() }

    /// The JSON of parameters.
    ///
    /// - Throws: An `EncodingError` with a ``NestingError`` for a value that is nested too deep, with any settings.
    package func encodeParameters(_ value: some Encodable) throws -> Data {
        if !(self is OnePassJSONEncoder) { _ = try JSONValueWriter(userInfo: userInfo).data(of: value) }
        return try encode(value)
    }
}

/// Encodes values in one pass, several times faster than Foundation builds a tree of them.
///
/// Foundation encodes if a strategy or the output formatting is not the default, and if a value cannot be written in one
/// pass: it returns to an earlier container, encodes a key twice, or throws. Each error is therefore Foundation's, except
/// that of a value that is nested too deep (``NestingError``), which would overflow the stack there.
final class OnePassJSONEncoder: JSONEncoder, @unchecked Sendable {
    override func encode<T: Encodable>(_ value: T) throws -> Data {
        let text = try JSONValueWriter(userInfo: userInfo).data(of: value)
        guard let text, hasDefaultSettings else { return try super.encode(value) }
        return text
    }

    private var hasDefaultSettings: Bool {
        guard outputFormatting.isEmpty, case .useDefaultKeys = keyEncodingStrategy,
            case .deferredToDate = dateEncodingStrategy, case .base64 = dataEncodingStrategy,
            case .throw = nonConformingFloatEncodingStrategy
        else { return false }
        return true
    }
}
