public import Foundation
import MoyaTransport

extension LoopbackExchange {
    /// Sends a status line and a header section, without adding fields.
    ///
    /// - Parameters:
    ///   - status: The status code, of any size.
    ///   - fields: The field lines in order, including duplicates, in the spelling to send.
    ///   - reason: The reason phrase; the standard one if `nil`. With an empty text the line ends in a space.
    ///   - version: The version in the status line.
    /// - Throws: ``TestSupportError/reset``, ``TestSupportError/closed``, `CancellationError`, like all methods
    ///   that send.
    public func send(
        head status: Int, _ fields: LoopbackFields = [:], reason: String? = nil, version: String = "HTTP/1.1"
    ) async throws {
        framing.withLock { $0.sentHead(status: status, fields, answering: request.method) }
        try await connection.send(Self.head(status, fields, reason, version))
    }

    /// Sends an interim response (RFC 9110 section 15.2), such as 103 Early Hints.
    public func send(informational status: Int, _ fields: LoopbackFields = [:]) async throws {
        try await connection.send(Self.head(status, fields, nil, "HTTP/1.1"))
    }

    /// Sends the UTF-8 bytes of a text as part of the body, in a separate write.
    public func send(_ text: String) async throws {
        try await send(text.utf8)
    }

    /// Sends bytes as part of the body, in a separate write.
    public func send(_ bytes: some Sequence<UInt8> & Sendable) async throws {
        let bytes = [UInt8](bytes)
        framing.withLock { $0.sentBody(bytes.count) }
        try await connection.send(bytes)
    }

    /// Sends bytes in writes of a fixed size.
    public func send(_ bytes: some Sequence<UInt8> & Sendable, inPiecesOf size: Int) async throws {
        let bytes = [UInt8](bytes)
        for start in stride(from: 0, to: bytes.count, by: max(size, 1)) {
            try await send(bytes[start..<min(start + max(size, 1), bytes.count)])
        }
    }

    /// Sends as many body bytes as the kernel accepts at once and returns their number; 0 if the client has to read
    /// first.
    public func sendWhatFits(_ bytes: some Sequence<UInt8>) throws -> Int {
        let count = try connection.sendWhatFits(bytes)
        framing.withLock { $0.sentBody(count) }
        return count
    }

    /// Sends raw text: a broken head, a second response, noise.
    ///
    /// The server does not parse it: when the handler returns, the response counts as complete.
    public func send(raw text: String) async throws {
        try await send(raw: text.utf8)
    }

    /// Sends raw bytes: a broken head, a second response, noise.
    ///
    /// The server does not parse them: when the handler returns, the response counts as complete.
    public func send(raw bytes: some Sequence<UInt8> & Sendable) async throws {
        framing.withLock { $0.sentEnd() }
        try await connection.send(bytes)
    }

    /// Sends bytes as one chunk of a chunked body (RFC 9112 section 7.1), in one write; sends nothing for no bytes,
    /// since an empty chunk ends the body.
    public func sendChunk(_ bytes: some Sequence<UInt8> & Sendable) async throws {
        let bytes = [UInt8](bytes)
        guard !bytes.isEmpty else { return }
        try await connection.send(Self.chunk(bytes))
    }

    /// Sends the UTF-8 bytes of a text as one chunk of a chunked body.
    public func sendChunk(_ text: String) async throws {
        try await sendChunk(text.utf8)
    }

    /// Ends a chunked body, with optional trailer fields.
    public func endChunks(trailers: LoopbackFields = [:]) async throws {
        framing.withLock { $0.sentEnd() }
        try await connection.send("0\r\n" + Self.section(trailers))
    }

    /// Sends a complete, correct response in one write.
    ///
    /// Adds Content-Length unless it is given; with `Transfer-Encoding: chunked`, sends the body as one chunk instead.
    /// Omits the body of a response that cannot have one (to HEAD, or with the status 1xx, 204 or 304).
    public func respond(_ status: Int = 200, _ fields: LoopbackFields = [:], body: String = "") async throws {
        try await respond(status, fields, body: Data(body.utf8))
    }

    /// Sends a complete, correct response in one write.
    ///
    /// Adds Content-Length unless it is given; with `Transfer-Encoding: chunked`, sends the body as one chunk instead.
    /// Omits the body of a response that cannot have one (to HEAD, or with the status 1xx, 204 or 304).
    public func respond(_ status: Int = 200, _ fields: LoopbackFields = [:], body: Data) async throws {
        var fields = fields
        let isChunked = fields.lists("chunked", in: "Transfer-Encoding")
        // A response to HEAD states the length of the response to GET (RFC 9110 section 8.6).
        if ResponseFraming.hasBody(status: status, answering: "GET"), !isChunked, fields["Content-Length"] == nil {
            fields.append("Content-Length", String(body.count))
        }
        let sendsBody = ResponseFraming.hasBody(status: status, answering: request.method)
        framing.withLock { framing in
            framing.sentHead(status: status, fields, answering: request.method)
            guard sendsBody else { return }
            if isChunked { framing.sentEnd() } else { framing.sentBody(body.count) }
        }
        var bytes = Array(Self.head(status, fields, nil, "HTTP/1.1").utf8)
        if sendsBody, !isChunked {
            bytes += body
        } else if sendsBody {
            bytes += Self.chunk(body) + Array(("0\r\n" + Self.section([:])).utf8)
        }
        try await connection.send(bytes)
    }

    /// A chunk of a chunked body; empty without bytes, since an empty chunk ends the body.
    private static func chunk(_ bytes: some Collection<UInt8>) -> [UInt8] {
        bytes.isEmpty ? [] : Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
    }

    private static func head(_ status: Int, _ fields: LoopbackFields, _ reason: String?, _ version: String) -> String {
        "\(version) \(status) \(reason ?? HTTPReasonPhrase.standard(for: status))\r\n" + section(fields)
    }

    private static func section(_ fields: LoopbackFields) -> String {
        fields.map { "\($0)\r\n" }.joined() + "\r\n"
    }
}
