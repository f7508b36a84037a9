extension HTTPRequest {
    /// `true` if a method only reads (RFC 9110 section 9.2.1); `QUERY` does so with a body.
    package static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": true
        default: false
        }
    }

    /// `true` if a method may be carried out twice (RFC 9110 section 9.2.2).
    package static func isIdempotent(_ method: String) -> Bool {
        isSafe(method) || method == "PUT" || method == "DELETE"
    }
}
