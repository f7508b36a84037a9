import Foundation

/// Splits bytes into lines, each byte looked at once.
struct LineSplitter {
    /// `true` if a carriage return ends a line, with the line feed after it or without.
    let endsAtCarriageReturn: Bool
    /// The most bytes of a line.
    let limit: Int

    private var buffer: [UInt8] = []
    /// Where the line begins that is not whole yet.
    private var start = 0
    /// How far it was searched for its end.
    private var searched = 0
    /// `true` if the line before ended in a carriage return, to which a line feed belongs that comes next.
    private var followsCarriageReturn = false
    private var isFirstLine = true
    private var isFinished = false

    init(endsAtCarriageReturn: Bool = true, limit: Int = StreamLimit.element) {
        self.endsAtCarriageReturn = endsAtCarriageReturn
        self.limit = max(limit, 0)
    }

    mutating func append(_ chunk: Data) {
        if start > 0 {
            if start == buffer.count {
                // The room of a long line is given back.
                buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 16)
            } else {
                buffer.removeFirst(start)
            }
            searched -= start
            start = 0
        }
        chunk.withUnsafeBytes { buffer.append(contentsOf: $0) }
    }

    /// Makes a line of what is left, where there is anything.
    mutating func finish() { isFinished = true }

    /// The next line without its end; valid until bytes are appended.
    mutating func next() throws(StreamError) -> ArraySlice<UInt8>? {
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
        guard end - start <= limit else { throw .elementTooLong(limit: limit) }
        guard end < buffer.count else {
            guard isFinished, start < end else { return nil }
            let rest = line(endingAt: end, next: end)
            return rest.isEmpty ? nil : rest
        }
        followsCarriageReturn = buffer[end] == UInt8(ascii: "\r")
        return line(endingAt: end, next: end + 1)
    }

    private mutating func line(endingAt end: Int, next: Int) -> ArraySlice<UInt8> {
        var line = buffer[start..<end]
        start = next
        searched = next
        // The signature of UTF-8 is no part of the text.
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        isFirstLine = false
        return line
    }
}
