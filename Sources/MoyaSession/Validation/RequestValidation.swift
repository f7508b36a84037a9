import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Validates a request once per attempt: rejects malformed requests and those that could deceive a server.
///
/// Works on bytes in place: a valid request costs no allocations, except those of Foundation's accessors.
package enum RequestValidation {
    /// Validates a request.
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

    /// Validates a field; it may be sent or dropped, see ``HTTPField/fate(_:_:)``.
    ///
    /// - Throws: ``SessionError/urlRequestValidationFailed(reason:)``.
    package static func validateField(_ name: String, _ value: String) throws(SessionError) {
        if HTTPField.fate(name, value) == .refused { throw failure(.invalidHeaderField(name: name)) }
    }

    /// Validates that a URL is absolute, has the scheme `http` or `https`, and has a host and no invalid port.
    ///
    /// - Throws: ``SessionError/urlRequestValidationFailed(reason:)``; ``SessionError/invalidURL(url:)`` for the port.
    package static func validateURL(_ url: String) throws(SessionError) {
        if isUsual(url) { return }
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || ASCII.endsAuthority($0) }),
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
        var authority = rest.prefix { !ASCII.endsAuthority($0) }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[authority.index(after: at)...] }
        guard let first = authority.first, first != UInt8(ascii: ":") else { throw failure(.missingHost(url: url)) }
        guard hasValidPort(authority) else { throw .invalidURL(url: url) }
    }

    /// `true` if a host has no port, or one of at most 65535.
    private static func hasValidPort(_ host: some Collection<UInt8>) -> Bool {
        var rest = host[...]
        if rest.first == UInt8(ascii: "[") { rest = rest.drop { $0 != UInt8(ascii: "]") } }
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return true }
        var port = 0
        for byte in rest[rest.index(after: colon)...] {
            guard ASCII.isDigit(byte), port <= 65535 else { return false }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return port <= 65535
    }

    /// `true` if the URL has the common form, in which the host follows the scheme.
    private static func isUsual(_ url: String) -> Bool {
        let schemeLength = ASCII.hasPrefix(url, "https://") ? 8 : ASCII.hasPrefix(url, "http://") ? 7 : 0
        guard schemeLength > 0 else { return false }
        var url = url
        return url.withUTF8 { bytes in
            let authority = bytes[schemeLength...].prefix { !ASCII.endsAuthority($0) }
            // The rest may be a user name, or the host may be missing.
            guard let first = authority.first, first != UInt8(ascii: ":"), !authority.contains(UInt8(ascii: "@")) else {
                return false
            }
            return hasValidPort(authority)
        }
    }

    private static func failure(_ reason: SessionError.URLRequestValidationFailureReason) -> SessionError {
        .urlRequestValidationFailed(reason: reason)
    }
}
