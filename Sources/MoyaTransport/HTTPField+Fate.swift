extension HTTPField {
    /// The treatment of a request field that a user gives.
    package enum Fate: Sendable, Hashable {
        /// The field is sent.
        case sent
        /// The field is left out: it speaks of a connection or of framing, which are the transport's to say.
        case dropped
        /// The field cannot be sent.
        case refused
    }

    /// Decides whether a request field may be sent.
    ///
    /// - A name is a token, and a value holds no control character but tabs (RFC 9110 sections 5.1 and 5.5); a field that
    ///   is not so is refused.
    /// - `Content-Length` and `Transfer-Encoding` are dropped: the transport states the length of the body that it sends
    ///   (RFC 9112 section 6).
    /// - `Connection`, `Keep-Alive`, `Proxy-Connection`, `TE`, `Trailer` and `HTTP2-Settings` are dropped: they are for the
    ///   next hop alone (RFC 9110 section 7.6.1, RFC 9113 section 8.2.2). `Connection: close` is sent.
    /// - `Proxy-Authorization` is dropped: a server must not see it. Give a proxy's credentials with the proxy.
    /// - `Upgrade` is refused: no transport speaks another protocol than HTTP.
    package static func fate(_ name: String, _ value: String) -> Fate {
        guard ASCII.isToken(name), ASCII.isFieldValue(value), !matches("upgrade", name) else { return .refused }
        return isDropped(name, value) ? .dropped : .sent
    }

    /// `true` if a field that is not refused is left out; see ``fate(_:_:)``.
    package static func isDropped(_ name: String, _ value: String) -> Bool {
        switch name.utf8.count {
        case 2: matches("te", name)
        case 7: matches("trailer", name)
        case 10:
            matches("keep-alive", name) || matches("connection", name) && !ASCII.equalIgnoringCase(value, "close")
        case 14: matches("content-length", name) || matches("http2-settings", name)
        case 16: matches("proxy-connection", name)
        case 17: matches("transfer-encoding", name)
        case 19: matches("proxy-authorization", name)
        default: false
        }
    }

    private static func matches(_ known: String, _ name: String) -> Bool { ASCII.equalIgnoringCase(name, known) }
}
