import Foundation

/// Reads elements out of bytes that come in chunks of any size.
protocol StreamParser {
    /// The element that is read.
    associatedtype Element: Sendable

    /// Takes the next bytes.
    mutating func append(_ chunk: Data)

    /// Takes the end of the bytes.
    mutating func finish()

    /// The next element; `nil` when it takes more bytes, and at the end.
    mutating func next() throws(StreamError) -> Element?
}

/// The bounds of what streams gather.
enum StreamLimit {
    /// The most bytes of one line, event or element: 16 MiB.
    static let element = 16 * 1024 * 1024
}
