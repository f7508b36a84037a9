import Foundation

/// Received body bytes that wait for the sink.
struct BodyBacklog {
    /// The maximum size of a chunk, also if `URLSession` delivers more at once.
    static let largestPiece = 256 * 1024

    private var pieces: [Data] = []
    private var first = 0

    var isEmpty: Bool { first == pieces.count }

    mutating func append(_ data: Data) {
        // Contiguous regions stay as they are; others are not joined.
        for region in data.regions where !region.isEmpty { pieces.append(region) }
    }

    /// Removes the next bytes.
    mutating func next() -> Data? {
        guard !isEmpty else { return nil }
        let piece = pieces[first]
        guard piece.count <= Self.largestPiece else {
            pieces[first] = piece.dropFirst(Self.largestPiece)
            return piece.prefix(Self.largestPiece)
        }
        first += 1
        if isEmpty {
            pieces.removeAll(keepingCapacity: true)
            first = 0
        } else {
            pieces[first - 1] = Data()
        }
        return piece
    }
}
