import Foundation

/// Parses the JSON texts of a stream: lines, a text sequence (RFC 7464), or the elements of one array.
///
/// The `Content-Type` selects lines or a sequence. Otherwise the first byte does: a record separator begins a sequence,
/// a bracket an array, and anything else lines. Empty lines are ignored.
struct JSONLinesParser: StreamParser {
    private enum Format {
        /// Unknown until the first byte that is not white space.
        case unknown
        case lines(LineSplitter)
        case elements(JSONElementScanner)
    }

    private let limit: Int
    private var format: Format
    /// The bytes that arrived before the format was known.
    private var beginning: [UInt8] = []
    /// The number of bytes before the first one of the format: a byte order mark and white space.
    private var skipped = 0
    private var isFirst = true

    init(contentType: String? = nil, limit: Int = StreamLimit.element) {
        self.limit = limit
        let type = contentType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        format =
            switch type {
            case "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
                "application/ndjson", "application/x-ndjson", "text/jsonl":
                .lines(LineSplitter(endsAtCarriageReturn: false, limit: limit))
            case _ where type.hasSuffix("json-seq"): .elements(JSONElementScanner(.sequence, limit: limit))
            default: .unknown
            }
    }

    mutating func append(_ chunk: Data) {
        switch format {
        case .unknown: detect(chunk)
        case .lines(var lines):
            format = .unknown
            lines.append(chunk)
            format = .lines(lines)
        case .elements(var elements):
            format = .unknown
            elements.append(chunk)
            format = .elements(elements)
        }
    }

    mutating func finish() {
        switch format {
        case .unknown: break
        case .lines(var lines):
            lines.finish()
            format = .lines(lines)
        case .elements(var elements):
            elements.finish()
            format = .elements(elements)
        }
    }

    mutating func next() throws(ResponseStreamError) -> Data? {
        switch format {
        case .unknown: return nil
        case .lines(var lines):
            format = .unknown
            defer { format = .lines(lines) }
            while let line = try lines.next() {
                if !line.allSatisfy(JSONElementScanner.isSpace) { return Data(line) }
            }
            return nil
        case .elements(var elements):
            format = .unknown
            defer { format = .elements(elements) }
            return try elements.next()
        }
    }

    /// Detects the format from the first byte.
    private mutating func detect(_ chunk: Data) {
        beginning += chunk
        if isFirst {
            let signature: [UInt8] = [0xEF, 0xBB, 0xBF]
            if beginning.count < signature.count, signature.starts(with: beginning) { return }
            if beginning.starts(with: signature) {
                beginning.removeFirst(signature.count)
                skipped = signature.count
            }
            isFirst = false
        }
        let known = beginning.drop(while: JSONElementScanner.isSpace)
        skipped += beginning.count - known.count
        beginning = []
        guard let first = known.first else { return }
        format =
            switch first {
            case 0x1E: .elements(JSONElementScanner(.sequence, limit: limit))
            case UInt8(ascii: "["): .elements(JSONElementScanner(.array, limit: limit, offset: skipped))
            default: .lines(LineSplitter(endsAtCarriageReturn: false, limit: limit))
            }
        append(Data(known))
    }
}
