import Foundation

/// Parses elements from bytes in chunks of any size.
protocol StreamParser {
    /// The parsed element.
    associatedtype Element: Sendable

    /// Appends the next bytes.
    mutating func append(_ chunk: Data)

    /// Marks the end of the bytes.
    mutating func finish()

    /// The next element; `nil` if it needs more bytes, and at the end.
    mutating func next() throws(ResponseStreamError) -> Element?
}
