import Foundation

/// Parses lines of text, each ended by LF, CR or CRLF; the last one may have no end.
///
/// Invalid UTF-8 is replaced with U+FFFD. A byte order mark at the beginning is dropped.
struct LineParser: StreamParser {
    private var lines: LineSplitter

    init(limit: Int = .max) { lines = LineSplitter(limit: limit) }

    mutating func append(_ chunk: Data) { lines.append(chunk) }

    mutating func finish() { lines.finish() }

    mutating func next() throws(ResponseStreamError) -> String? {
        guard let line = try lines.next() else { return nil }
        return String(decoding: line, as: UTF8.self)
    }
}
