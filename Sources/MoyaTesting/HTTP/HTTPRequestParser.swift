import Foundation
import MoyaTransport

/// Parses requests and their bodies from bytes in arbitrary pieces (RFC 9112); it does no I/O.
struct HTTPRequestParser {
    /// The next part of the message in the bytes.
    enum Phase: Hashable {
        case head
        case lengthBody(remaining: Int)
        case chunkSize
        case chunkData(remaining: Int)
        case chunkEnd
        case trailers
    }

    private(set) var phase = Phase.head
    /// The trailer fields of the last chunked body.
    private(set) var trailers = LoopbackFields()
    private var buffer: [UInt8] = []
    private var start = 0
    /// The length of the prefix known to contain no end of the header section, so that it is searched once.
    private var searched = 0

    /// `true` if the last request's body has been consumed.
    var isBetweenRequests: Bool { phase == .head }

    /// `true` if bytes have arrived that are not consumed yet; ``nextHead()`` consumes empty lines before a request.
    var hasUnreadBytes: Bool { start < buffer.count }

    mutating func append(_ bytes: [UInt8]) {
        if start == buffer.count {
            buffer = bytes
            start = 0
            searched = 0
        } else {
            buffer += bytes
        }
    }

    /// Consumes the next request's head; `nil` if more bytes are needed.
    ///
    /// - Throws: ``TestSupportError/malformedRequest(_:)``
    mutating func nextHead() throws(TestSupportError) -> LoopbackRequest? {
        skipEmptyLines()
        guard let end = endOfHeaderSection() else { return nil }
        let head = Array(buffer[start..<end])
        advance(to: end)
        let lines = Self.lines(of: head)
        guard let requestLine = lines.first else { throw .malformedRequest("an empty head") }
        let words = requestLine.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, !words[1].isEmpty, words[2].hasPrefix("HTTP/") else {
            throw .malformedRequest("the request line is '\(SecretMask.standard.text(requestLine))'")
        }
        let request = LoopbackRequest(
            method: String(words[0]), target: String(words[1]), version: String(words[2]),
            fields: try Self.fields(of: lines.dropFirst()), head: Data(head))
        phase = try Self.phaseAfterHead(request.fields)
        trailers = LoopbackFields()
        return request
    }

    /// Consumes body bytes that have arrived; empty at the end of the body, `nil` if more bytes are needed.
    ///
    /// - Throws: ``TestSupportError/malformedRequest(_:)``
    mutating func nextBodyBytes(atMost count: Int) throws(TestSupportError) -> [UInt8]? {
        while true {
            switch phase {
            case .head:
                return []
            case .lengthBody(let remaining):
                guard let bytes = takeUnread(atMost: min(count, remaining)) else { return nil }
                phase = bytes.count == remaining ? .head : .lengthBody(remaining: remaining - bytes.count)
                return bytes
            case .chunkData(let remaining):
                guard let bytes = takeUnread(atMost: min(count, remaining)) else { return nil }
                phase = bytes.count == remaining ? .chunkEnd : .chunkData(remaining: remaining - bytes.count)
                return bytes
            case .chunkSize:
                guard let line = takeLine() else { return nil }
                let digits = line.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
                guard let size = Self.size(digits, radix: 16) else {
                    throw .malformedRequest("the chunk size is '\(line)'")
                }
                phase = size == 0 ? .trailers : .chunkData(remaining: size)
            case .chunkEnd:
                guard let line = takeLine() else { return nil }
                guard line.isEmpty else { throw .malformedRequest("a chunk is longer than its size says") }
                phase = .chunkSize
            case .trailers:
                guard let line = takeLine() else { return nil }
                if line.isEmpty {
                    phase = .head
                } else {
                    for field in try Self.fields(of: [line]) { trailers.append(field.name, field.value) }
                }
            }
        }
    }

    private mutating func advance(to position: Int) {
        start = position
        searched = position
    }

    /// Consumes bytes that have arrived, at least 1 and at most 64 KiB; `nil` without any.
    mutating func takeUnread(atMost count: Int) -> [UInt8]? {
        guard hasUnreadBytes else { return nil }
        let end = min(start + min(max(count, 1), 65_536), buffer.count)
        defer { advance(to: end) }
        return start == 0 && end == buffer.count ? buffer : Array(buffer[start..<end])
    }

    private mutating func takeLine() -> String? {
        guard let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { advance(to: end + 1) }
        return Self.text(buffer[start..<end])
    }

    /// Skips empty lines before a request line (RFC 9112 section 2.2).
    private mutating func skipEmptyLines() {
        while start < buffer.count, buffer[start] == UInt8(ascii: "\r") || buffer[start] == UInt8(ascii: "\n") {
            start += 1
            searched = max(searched, start)
        }
    }

    /// The position after the empty line that ends the header section.
    private mutating func endOfHeaderSection() -> Int? {
        var position = max(searched, start)
        while let lineEnd = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
            var next = lineEnd + 1
            if next < buffer.count, buffer[next] == UInt8(ascii: "\r") { next += 1 }
            guard next < buffer.count else { break }
            if buffer[next] == UInt8(ascii: "\n") { return next + 1 }
            position = lineEnd + 1
        }
        searched = position
        return nil
    }
}
