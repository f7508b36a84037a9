import Foundation

/// Reads lines of text, each ended by LF, CR, or CR and LF; the last one may have no end.
///
/// Bytes that are no UTF-8 are replaced by U+FFFD. A byte order mark at the beginning is dropped.
struct LineParser: StreamParser {
    private var lines: LineSplitter

    init(limit: Int = StreamLimit.element) { lines = LineSplitter(limit: limit) }

    mutating func append(_ chunk: Data) { lines.append(chunk) }

    mutating func finish() { lines.finish() }

    mutating func next() throws(StreamError) -> String? {
        guard let line = try lines.next() else { return nil }
        return String(decoding: line, as: UTF8.self)
    }
}
