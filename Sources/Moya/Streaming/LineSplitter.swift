import Foundation

/// Splits bytes into lines, and examines each byte once.
struct LineSplitter {
    /// `true` if a carriage return ends a line, with or without a following line feed.
    let endsAtCarriageReturn: Bool
    /// The maximum number of bytes in a line.
    let limit: Int

    private var buffer: [UInt8] = []
    /// The start of the incomplete line.
    private var start = 0
    /// The end of the range that was already searched for a line end.
    private var searched = 0
    /// `true` if the previous line ended in a carriage return, to which a following line feed belongs.
    private var followsCarriageReturn = false
    private var isAtStart = true
    private var isFinished = false

    init(endsAtCarriageReturn: Bool = true, limit: Int = .max) {
        self.endsAtCarriageReturn = endsAtCarriageReturn
        self.limit = max(limit, 0)
    }

    mutating func append(_ chunk: Data) {
        if start > 0 {
            if start == buffer.count {
                // The capacity of a long line is released.
                buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 16)
            } else {
                buffer.removeFirst(start)
            }
            searched -= start
            start = 0
        }
        chunk.withUnsafeBytes { buffer.append(contentsOf: $0) }
    }

    /// Makes the remaining bytes a line, if there are any.
    mutating func finish() { isFinished = true }

    /// The next line without its end, valid until bytes are appended.
    mutating func next() throws(ResponseStreamError) -> ArraySlice<UInt8>? {
        guard skipByteOrderMark() else { return nil }
        if followsCarriageReturn, start < buffer.count {
            followsCarriageReturn = false
            if buffer[start] == UInt8(ascii: "\n") {
                start += 1
                searched = max(searched, start)
            }
        }
        let end = buffer.withUnsafeBufferPointer { bytes in
            var index = searched
            while index < bytes.count {
                let byte = bytes[index]
                if byte == UInt8(ascii: "\n") || endsAtCarriageReturn && byte == UInt8(ascii: "\r") { break }
                index += 1
            }
            return index
        }
        searched = end
        // A carriage return before the line feed belongs to the line end.
        let hasReturn = !endsAtCarriageReturn && end > start && buffer[end - 1] == UInt8(ascii: "\r")
        guard end - start - (hasReturn ? 1 : 0) <= limit else { throw .elementTooLong(limit: limit) }
        guard end < buffer.count else {
            guard isFinished, start < end else { return nil }
            return line(endingAt: end, next: end)
        }
        followsCarriageReturn = buffer[end] == UInt8(ascii: "\r")
        return line(endingAt: end, next: end + 1)
    }

    /// Skips the UTF-8 byte order mark at the start, which is not part of the text.
    ///
    /// - Returns: `false` if more bytes are needed to recognize it.
    private mutating func skipByteOrderMark() -> Bool {
        guard isAtStart else { return true }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if !isFinished, buffer.count < mark.count, mark.starts(with: buffer) { return false }
        isAtStart = false
        if buffer.starts(with: mark) {
            start = mark.count
            searched = start
        }
        return true
    }

    private mutating func line(endingAt end: Int, next: Int) -> ArraySlice<UInt8> {
        let line = buffer[start..<end]
        start = next
        searched = next
        return line
    }
}
