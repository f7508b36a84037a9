import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Checks, once per attempt, that a request may be sent: what the wire would choke on, or a server be fooled by.
///
/// Works on bytes in place: a request that passes costs no allocation but what Foundation makes to hand out its parts.
package enum RequestValidation {
    /// Returns when the request may be sent.
    ///
    /// - Throws: ``SessionError/urlRequestValidationFailed(reason:)``.
    package static func validate(_ request: HTTPRequest) throws(SessionError) {
        guard HTTPRequest.isMethod(request.method) else { throw failure(.invalidMethod(request.method)) }
        try validateURL(request.url)
        for field in request.fields { try validateField(field.name, field.value) }
        if request.method == "GET", let body = request.urlRequest?.httpBody, !body.isEmpty {
            throw failure(.bodyDataInGETRequest(body))
        }
    }

    /// Returns when the field may be sent, or left out; see ``HTTPField/fate(_:_:)``.
    ///
    /// - Throws: ``SessionError/urlRequestValidationFailed(reason:)``.
    package static func validateField(_ name: String, _ value: String) throws(SessionError) {
        if HTTPField.fate(name, value) == .refused { throw failure(.invalidHeaderField(name: name)) }
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

    /// `true` if the URL is of the kind that nearly all are: the host follows the scheme at once.
    private static func isUsual(_ url: String) -> Bool {
        let schemeLength = ASCII.hasPrefix(url, "https://") ? 8 : ASCII.hasPrefix(url, "http://") ? 7 : 0
        guard schemeLength > 0 else { return false }
        var first = true
        for byte in url.utf8.dropFirst(schemeLength) {
            if endsAuthority(byte) { return !first }
            // The rest might be a user name, or a host that is missing.
            if byte == UInt8(ascii: "@") || first && byte == UInt8(ascii: ":") { return false }
            first = false
        }
        return !first
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func failure(_ reason: SessionError.URLRequestValidationFailureReason) -> SessionError {
        .urlRequestValidationFailed(reason: reason)
    }
}
