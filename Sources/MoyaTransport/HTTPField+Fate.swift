extension HTTPField {
    /// The treatment of a request field set by a user.
    package enum Fate: Sendable, Hashable {
        /// The field is sent.
        case sent
        /// The field is omitted: it describes the connection or the framing, which the transport controls.
        case dropped
        /// The field cannot be sent.
        case refused
    }

    /// Decides whether a request field may be sent.
    ///
    /// - A name is a token, and a value contains no control character except tabs (RFC 9110 sections 5.1 and 5.5); any
    ///   other field is refused.
    /// - `Content-Length` and `Transfer-Encoding` are dropped: the transport states the length of the body that it sends
    ///   (RFC 9112 section 6).
    /// - `Connection`, `Keep-Alive`, `Proxy-Connection`, `TE`, `Trailer` and `HTTP2-Settings` are dropped: they concern
    ///   only the next hop (RFC 9110 section 7.6.1, RFC 9113 section 8.2.2). `Connection: close` is sent.
    /// - `Proxy-Authorization` is dropped, since a server must not receive it. Set a proxy's credentials on the proxy.
    /// - `Upgrade` is refused: transports speak only HTTP.
    package static func fate(_ name: String, _ value: String) -> Fate {
        guard ASCII.isToken(name), ASCII.isFieldValue(value), !matches("upgrade", name) else { return .refused }
        return isDropped(name, value) ? .dropped : .sent
    }

    /// `true` if a field that is not refused is dropped; see ``fate(_:_:)``.
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
