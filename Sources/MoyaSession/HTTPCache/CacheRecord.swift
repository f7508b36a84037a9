import Foundation
import MoyaTransport

/// Encodes numbers and texts as bytes, little-endian, each text after its length.
struct CacheRecordWriter {
    private(set) var data = Data()

    mutating func write(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) } }

    mutating func write(_ number: Int64) { write(UInt64(bitPattern: number)) }

    mutating func write(_ number: Double) { write(number.bitPattern) }

    mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        data.append(contentsOf: text.utf8)
    }

    mutating func write(_ text: String?) {
        write(UInt64(text == nil ? 0 : 1))
        if let text { write(text) }
    }
}

/// Decodes the output of a ``CacheRecordWriter``; `nil` beyond the end, for any damaged bytes.
struct CacheRecordReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ data: Data) { bytes = Array(data) }

    mutating func number() -> UInt64? {
        guard bytes.count - position >= 8 else { return nil }
        defer { position += 8 }
        return (0..<8).reduce(0) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
    }

    mutating func signed() -> Int64? { number().map { Int64(bitPattern: $0) } }

    mutating func double() -> Double? { number().map { Double(bitPattern: $0) } }

    mutating func text() -> String? {
        guard let count = number(), count <= UInt64(bytes.count - position) else { return nil }
        defer { position += Int(count) }
        return String(decoding: bytes[position..<position + Int(count)], as: UTF8.self)
    }

    mutating func optionalText() -> String?? {
        guard let isThere = number() else { return nil }
        guard isThere == 1 else { return .some(nil) }
        return text().map { .some($0) }
    }

    /// Reads pairs of texts.
    mutating func pairs() -> [(String, String)]? {
        guard let count = number(), count <= UInt64(bytes.count) else { return nil }
        var pairs: [(String, String)] = []
        for _ in 0..<count {
            guard let name = text(), let value = text() else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }
}

extension CachedResponse {
    /// The response as written to a file, without a body in memory.
    var record: Data {
        var writer = CacheRecordWriter()
        writer.write(id)
        writer.write(url)
        writer.write(Int64(status))
        writer.write(requested)
        writer.write(received)
        writer.write(freshness.initialAge)
        writer.write(credential.authorization)
        writer.write(credential.cookie)
        writer.write(UInt64(fields.count))
        for field in fields {
            writer.write(field.name)
            writer.write(field.value)
        }
        writer.write(UInt64(variants.count))
        for variant in variants {
            writer.write(variant.name)
            writer.write(variant.value)
        }
        writer.write(part?.bytes.lowerBound ?? 0)
        writer.write(part?.bytes.upperBound ?? 0)
        writer.write(part?.total ?? 0)
        writer.write(body.count)
        if case .file(let file) = body {
            writer.write(file.id)
            writer.write(file.fileSize)
        } else {
            writer.write(UInt64(0))
            writer.write(UInt64(0))
        }
        return writer.data
    }

    /// Decodes a record.
    ///
    /// - Parameter body: Returns the body with a length: that in the file with a number and a size, or the one in
    ///   memory for 0.
    /// - Returns: `nil` if the record is damaged, or the body is missing.
    static func read(
        _ data: Data, body: (_ length: Int64, _ file: UInt64, _ fileSize: Int64) throws -> CachedBody?
    ) rethrows -> CachedResponse? {
        var reader = CacheRecordReader(data)
        guard let id = reader.number(), let url = reader.text(), let status = reader.signed(),
            (200...999).contains(status),
            let requested = reader.double(), let received = reader.double(), let age = reader.double(),
            received.isFinite, age.isFinite, let authorization = reader.optionalText(),
            let cookie = reader.optionalText(), let fields = reader.pairs(), let variants = reader.pairs(),
            let lower = reader.signed(), let upper = reader.signed(), let total = reader.signed(),
            let length = reader.signed(), length >= 0, let file = reader.number(), let fileSize = reader.signed()
        else { return nil }
        guard total == 0 || (lower >= 0 && upper > lower && total >= upper && length == upper - lower),
            let body = try body(length, file, fileSize), body.count == length
        else { return nil }
        return CachedResponse(
            id: id, url: url, status: Int(status), fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            requested: requested, received: received, variants: variants.map { CacheVariant(name: $0.0, value: $0.1) },
            credential: CacheCredential(authorization: authorization, cookie: cookie),
            part: total == 0 ? nil : ContentRange(bytes: lower..<upper, total: total), body: body, initialAge: age)
    }
}
