@testable import MoyaCurl
@testable import MoyaTransport

/// A coded body in pieces of two sizes: both give the same bytes and the same result.
///
/// The first byte is the number of codings, each of the next names one, and the one after them is the size of a piece.
@Sendable func checkContentDecoder(_ bytes: [UInt8]) throws {
    #if os(Linux)
    var input = FuzzInput(bytes)
    let names = ["gzip", "deflate", "br", "zstd", "GZip", "x-gzip", "identity", "unknown"]
    let codings = (0..<input.number(below: 8)).map { _ in names[input.number(below: names.count)] }
    let size = 1 + Int(input.byte())
    let coded = Array(input.rest)
    let head = TransportResponseHead(
        status: 200, fields: codings.map { HTTPField(name: "Content-Encoding", value: $0) })

    let known = codings.filter { $0 != "identity" }
    guard known.count <= 5, let decoder = try ContentDecoder.make(for: head) else {
        let isRefused = (try? ContentDecoder.make(for: head)) == nil
        try expect(isRefused, "\(codings) are removed")
        return
    }
    try expect(!known.isEmpty && !known.contains("unknown"), "\(codings) are removed")
    try expect(decoder.isComplete, "a body that has not begun is cut short")
    let whole = decode(coded, by: decoder, size: max(1, coded.count))
    guard let other = try ContentDecoder.make(for: head) else { throw Violation(description: "\(codings) are left") }
    let inPieces = decode(coded, by: other, size: size)
    let count = min(whole.bytes.count, inPieces.bytes.count)
    try expect(whole.bytes[..<count] == inPieces.bytes[..<count], "\(codings) in pieces of \(size) are other bytes")
    // For a malformed body, or one beyond the limit, the two may have delivered different numbers of bytes.
    guard !whole.isCut, !inPieces.isCut else { return }
    try expect(whole.isBroken == inPieces.isBroken, "\(codings) in pieces of \(size) are broken in one way alone")
    guard !whole.isBroken else { return }
    try expect(whole == inPieces, "\(codings) in pieces of \(size) are another body")
    #endif
}

#if os(Linux)
private struct Decoded: Equatable {
    var bytes: [UInt8] = []
    var isBroken = false
    var isComplete = false
    /// `true` if the body was too long to continue.
    var isCut = false
}

private func decode(_ coded: [UInt8], by decoder: ContentDecoder, size: Int) -> Decoded {
    var decoded = Decoded()
    var steps = 0
    coded.withUnsafeBytes { coded in
        for start in stride(from: 0, to: coded.count, by: size) {
            var rest = UnsafeRawBufferPointer(rebasing: coded[start..<min(start + size, coded.count)])
            do {
                while true {
                    while let piece = try decoder.next(&rest) {
                        decoded.bytes += piece
                        decoded.isCut = decoded.bytes.count > 1 << 20
                        if decoded.isCut { return }
                    }
                    guard decoder.isStepOver else { break }
                    decoder.beginStep()
                    // Codings in codings may make any number of bytes for one byte of the body.
                    steps += 1
                    decoded.isCut = steps > 32
                    if decoded.isCut { return }
                }
            } catch {
                decoded.isBroken = true
                return
            }
        }
    }
    decoded.isComplete = decoder.isComplete
    return decoded
}
#endif
