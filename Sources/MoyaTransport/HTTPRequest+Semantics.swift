extension HTTPRequest {
    /// `true` if a method only reads (RFC 9110 section 9.2.1), including `QUERY`, which has a body.
    package static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": true
        default: false
        }
    }

    /// `true` if a method may be repeated (RFC 9110 section 9.2.2).
    package static func isIdempotent(_ method: String) -> Bool {
        isSafe(method) || method == "PUT" || method == "DELETE"
    }
}
