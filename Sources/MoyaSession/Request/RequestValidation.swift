import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#else
package import Foundation
#endif

/// Checks, once per attempt, that a request may be sent: what the wire would choke on, or a server be fooled by.
///
/// Works on bytes in place: a request that passes costs no allocation but what Foundation makes to hand out its parts.
package enum RequestValidation {
    /// Returns when the request may be sent.
    ///
    /// - Throws: ``SessionError/urlRequestValidationFailed(reason:)``.
    package static func validate(_ request: URLRequest) throws {
        let method = request.httpMethod ?? "GET"
        guard ASCII.isToken(method) else { throw failure(.invalidMethod(method)) }
        try validateURL(request.url?.absoluteString ?? "")
        for (name, value) in request.allHTTPHeaderFields ?? [:] { try validateField(name, value) }
        if method == "GET", let body = request.httpBody, !body.isEmpty { throw failure(.bodyDataInGETRequest(body)) }
    }

    /// The same for a request that Foundation has not made.
    package static func validate(_ request: PlainRequest) throws(SessionError) {
        guard ASCII.isToken(request.method) else { throw failure(.invalidMethod(request.method)) }
        try validateURL(request.url)
        guard let fields = request.fields else { return }
        for (name, value) in fields { try validateField(name, value) }
    }

    /// Returns when the field's name is a token and its value ends no line (RFC 9110 sections 5.1 and 5.5).
    ///
    /// - Throws: ``SessionError/urlRequestValidationFailed(reason:)``.
    package static func validateField(_ name: String, _ value: String) throws(SessionError) {
        guard ASCII.isToken(name), isFieldValue(value) else { throw failure(.invalidHeaderField(name: name)) }
    }

    /// Returns when the URL is absolute, `http` or `https`, and names a host.
    ///
    /// - Throws: ``SessionError/urlRequestValidationFailed(reason:)``.
    package static func validateURL(_ url: String) throws(SessionError) {
        if isUsual(url) { return }
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || endsAuthority($0) }),
            bytes[colon] == UInt8(ascii: ":"), colon != bytes.startIndex
        else { throw failure(.missingHost(url: url)) }
        let scheme = url[..<colon]
        guard ASCII.equalIgnoringCase(scheme, "https") || ASCII.equalIgnoringCase(scheme, "http") else {
            throw failure(.unsupportedScheme(String(scheme)))
        }
        var rest = bytes[bytes.index(after: colon)...]
        guard rest.popFirst() == UInt8(ascii: "/"), rest.popFirst() == UInt8(ascii: "/") else {
            throw failure(.missingHost(url: url))
        }
        var authority = rest.prefix { !endsAuthority($0) }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[authority.index(after: at)...] }
        guard let first = authority.first, first != UInt8(ascii: ":") else { throw failure(.missingHost(url: url)) }
    }

    /// Whether the URL is of the kind that nearly all are: the host follows the scheme at once.
    private static func isUsual(_ url: String) -> Bool {
        let schemeLength = ASCII.hasPrefix(url, "https://") ? 8 : ASCII.hasPrefix(url, "http://") ? 7 : 0
        guard schemeLength > 0 else { return false }
        var first = true
        for byte in url.utf8.dropFirst(schemeLength) {
            if endsAuthority(byte) { return !first }
            // What follows might be a user name, or a host that is not there.
            if byte == UInt8(ascii: "@") || first && byte == UInt8(ascii: ":") { return false }
            first = false
        }
        return !first
    }

    /// Whether a field value has no byte that ends or cuts its line (RFC 9110 section 5.5).
    private static func isFieldValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") && $0 != 0 }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func failure(_ reason: SessionError.URLRequestValidationFailureReason) -> SessionError {
        .urlRequestValidationFailed(reason: reason)
    }
}
