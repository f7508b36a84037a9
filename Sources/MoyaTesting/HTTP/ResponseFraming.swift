/// The missing part of a response, which decides whether a connection can carry another request.
struct ResponseFraming {
    /// `true` if the client waits for 100 Continue, which is not sent after a part of the final response.
    private var awaitsContinue: Bool
    /// The number of missing body bytes, not positive for a complete response; `nil` before the head, and if no length
    /// determines the end.
    private var missing: Int?
    private var asksToClose = false

    init(awaitsContinue: Bool = false) { self.awaitsContinue = awaitsContinue }

    /// `true` if the connection can carry another request: the response is complete and did not announce a close.
    var leavesConnectionUsable: Bool { !asksToClose && (missing.map { $0 <= 0 } ?? false) }

    /// Returns, once, whether the client waits for 100 Continue.
    mutating func takeContinue() -> Bool {
        defer { awaitsContinue = false }
        return awaitsContinue
    }

    mutating func sentHead(status: Int, _ fields: LoopbackFields, answering method: String) {
        awaitsContinue = false
        asksToClose = fields.lists("close", in: "Connection")
        if !Self.hasBody(status: status, answering: method) {
            // Another response follows an interim one.
            missing = Self.isInterim(status) ? nil : 0
        } else if fields.lists("chunked", in: "Transfer-Encoding") {
            missing = nil
        } else {
            missing = fields["Content-Length"].flatMap { Int($0) }.map { max(0, $0) }
        }
    }

    /// `false` for a response that ends with its head (RFC 9112 section 6.3).
    static func hasBody(status: Int, answering method: String) -> Bool {
        method != "HEAD" && status != 204 && status != 304 && !isInterim(status)
    }

    private static func isInterim(_ status: Int) -> Bool { (100..<200).contains(status) }

    mutating func sentBody(_ count: Int) { missing? -= count }

    /// Records the last chunk, or bytes that are sent unparsed, after which the response counts as complete.
    mutating func sentEnd() {
        awaitsContinue = false
        missing = 0
    }
}
