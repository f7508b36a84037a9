public import Foundation

/// The error of parameters whose arrays and dictionaries nest too deep to be written.
///
/// Every level takes room on the stack of the thread at work: Foundation's JSON up to 2 KB, of the half megabyte that a
/// thread of Dispatch has.
public struct NestingError: LocalizedError, Hashable {
    /// The most levels that are written.
    public static let deepest = 128

    /// Makes an error.
    public init() {}

    /// The bound, and what to do.
    public var errorDescription: String? {
        "The value is nested more than \(Self.deepest) levels deep, and no more are written: make it flatter."
    }

    /// Returns when a value of arrays and dictionaries is within the bound.
    ///
    /// It goes level by level and needs no stack, however deep the value.
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
