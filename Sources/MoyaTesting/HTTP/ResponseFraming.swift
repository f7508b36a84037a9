/// The sent part of an announced response, which decides whether a connection can carry another request.
struct ResponseFraming {
    private enum State {
        case nothing
        case lengthBody(remaining: Int)
        case openChunks
        case untilClose
        case whole
        /// Bytes that are sent unparsed.
        case raw
    }

    private var state = State.nothing
    private var asksToClose = false

    /// `true` if no part of a final response has been sent.
    var isUntouched: Bool {
        if case .nothing = state { return true }
        return false
    }

    /// `true` if the connection can carry another request: the response is complete and did not announce a close.
    ///
    /// Raw bytes count as complete.
    var leavesConnectionUsable: Bool {
        if asksToClose { return false }
        switch state {
        case .nothing, .openChunks, .untilClose: return false
        case .lengthBody(let remaining): return remaining <= 0
        case .whole, .raw: return true
        }
    }

    mutating func sentHead(status: Int, _ fields: LoopbackFields, answering method: String) {
        asksToClose = fields.lists("close", in: "Connection")
        if method == "HEAD" || status == 204 || status == 304 {
            state = .whole
        } else if fields.lists("chunked", in: "Transfer-Encoding") {
            state = .openChunks
        } else if let length = fields["Content-Length"].flatMap({ Int($0) }) {
            state = .lengthBody(remaining: max(0, length))
        } else {
            state = .untilClose
        }
    }

    mutating func sentBody(_ count: Int) {
        if case .lengthBody(let remaining) = state { state = .lengthBody(remaining: remaining - count) }
    }

    mutating func sentLastChunk() { state = .whole }

    mutating func sentRaw() { state = .raw }
}
