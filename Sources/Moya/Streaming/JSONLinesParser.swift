import Foundation
import MoyaSession
import MoyaTransport

/// Parses the JSON texts of a stream: lines, a text sequence (RFC 7464), or the elements of one array.
///
/// The `Content-Type` selects lines or a sequence. Otherwise the first byte does: a record separator begins a sequence,
/// a bracket an array, and anything else lines. Empty lines are ignored.
struct JSONLinesParser: StreamParser {
    private let limit: Int
    /// The format: neither of both until the first byte that is not white space.
    private var lines: LineSplitter?
    private var elements: JSONElementScanner?
    private var isKnown: Bool { lines != nil || elements != nil }
    /// The bytes that arrived before the format was known.
    private var beginning: [UInt8] = []
    /// The number of bytes before the first one of the format: a byte order mark and white space.
    private var skipped: Int64 = 0
    private var isFirst = true

    init(contentType: String? = nil, limit: Int = .max) {
        self.limit = limit
        let type = MIMETypePattern.essence(of: contentType ?? "")
        switch type {
        case "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
            "application/ndjson", "application/x-ndjson", "text/jsonl":
            lines = LineSplitter(endsAtCarriageReturn: false, limit: limit)
        case _ where type.hasSuffix("json-seq"): elements = JSONElementScanner(.sequence, limit: limit)
        default: break
        }
    }

    mutating func append(_ chunk: Data) {
        guard isKnown else { return detect(chunk) }
        lines?.append(chunk)
        elements?.append(chunk)
    }

    mutating func finish() {
        // The beginning of a byte order mark that ended there.
        if !isKnown, !beginning.isEmpty { begin() }
        lines?.finish()
        elements?.finish()
    }

    mutating func next() throws(ResponseStreamError) -> Data? {
        while let line = try lines?.next() {
            if !line.allSatisfy(ASCII.isSpace) { return Data(line) }
        }
        return try elements?.next()
    }

    /// Detects the format from the first byte.
    private mutating func detect(_ chunk: Data) {
        beginning += chunk
        if isFirst {
            let signature: [UInt8] = [0xEF, 0xBB, 0xBF]
            if beginning.count < signature.count, signature.starts(with: beginning) { return }
            if beginning.starts(with: signature) {
                beginning.removeFirst(signature.count)
                skipped = Int64(signature.count)
            }
            isFirst = false
        }
        begin()
    }

    /// Chooses the format by the first byte that is not white space, and passes on what has arrived.
    private mutating func begin() {
        let known = beginning.drop(while: ASCII.isSpace)
        skipped += Int64(beginning.count - known.count)
        beginning = []
        guard let first = known.first else { return }
        switch first {
        case 0x1E: elements = JSONElementScanner(.sequence, limit: limit)
        case UInt8(ascii: "["): elements = JSONElementScanner(.array, limit: limit, offset: skipped)
        default: lines = LineSplitter(endsAtCarriageReturn: false, limit: limit)
        }
        append(Data(known))
    }
}
