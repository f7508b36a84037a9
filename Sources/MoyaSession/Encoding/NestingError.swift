public import Foundation

/// The error for parameters whose arrays and dictionaries are nested too deep.
///
/// A value that encodes another one in its place, as in a single-value container, is a level too.
/// Every level uses stack space: up to 2 KB in Foundation's JSON, of the half megabyte of a Dispatch thread.
public struct NestingError: LocalizedError, Hashable {
    /// The maximum number of levels.
    public static let deepest = 128

    /// Makes an error.
    public init() {}

    /// The limit and the remedy.
    public var errorDescription: String? {
        "The value is nested more than \(Self.deepest) levels deep, which is the limit: make it flatter."
    }

    /// Returns if a value of arrays and dictionaries is within the limit.
    ///
    /// It proceeds level by level without recursion, for any depth.
    ///
    /// - Throws: ``NestingError``
    static func check(_ root: Any) throws(NestingError) {
        var level = [root]
        for _ in 0...deepest {
            var next: [Any] = []
            for value in level {
                if let entries = value as? [String: Any] {
                    next += entries.values
                } else if let elements = value as? [Any] {
                    next += elements
                }
            }
            if next.isEmpty { return }
            level = next
        }
        throw NestingError()
    }
}

extension EncodingError {
    /// The error for a value that is nested too deep; without the value, whose description would overflow the stack.
    static func tooDeep(_ type: Any.Type, at codingPath: [any CodingKey]) -> Self {
        .invalidValue(type, .tooDeep(at: codingPath))
    }
}

extension EncodingError.Context {
    static func tooDeep(at codingPath: [any CodingKey]) -> Self {
        let error = NestingError()
        return Self(codingPath: codingPath, debugDescription: error.localizedDescription, underlyingError: error)
    }
}
