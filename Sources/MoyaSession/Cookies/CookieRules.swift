import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Decides which cookies are stored and sent (RFC 6265bis sections 5.1, 5.7 and 5.8).
///
/// No rule reads `SameSite`: it distinguishes requests from pages of one site and another, and there are no pages here.
/// A cookie is accepted with any value of the attribute, even if a browser would also require `Secure`.
package struct CookieRules: Sendable {
    private let suffixes: PublicSuffixes

    package init(suffixes: PublicSuffixes) { self.suffixes = suffixes }

    // MARK: Taking

    /// The cookie of a field with its domain and path; `nil` if the origin may not set it.
    ///
    /// - Parameter present: The existing cookies; an insecure origin must not hide a `Secure` one.
    package func place(_ field: SetCookie, from origin: CookieOrigin, among present: [HTTPCookie]) -> PlacedCookie? {
        guard let domain = domain(of: field, from: origin) else { return nil }
        let placed = PlacedCookie(field: field, domain: domain, path: field.path ?? origin.defaultPath)
        if field.isSecure, !origin.isSecure { return nil }
        guard keepsPrefixPromise(placed) else { return nil }
        if !field.isSecure, !origin.isSecure, present.contains(where: { hides(placed, $0) }) { return nil }
        return placed
    }

    /// The domain in Foundation's form, with a leading dot if subdomains receive the cookie; `nil` if the origin may
    /// not set it.
    private func domain(of field: SetCookie, from origin: CookieOrigin) -> String? {
        guard let domain = field.domain, !domain.isEmpty else { return origin.host }
        guard domain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if domain == origin.host {
            // The site of a suffix itself, and an address, have no subdomains of the same owner.
            return Self.isAddress(domain) || suffixes.isPublicSuffix(domain) ? domain : "." + domain
        }
        guard Self.domainMatches(host: origin.host, domain: domain), !suffixes.isPublicSuffix(domain) else {
            return nil
        }
        return "." + domain
    }

    /// `true` if the cookie was set as the prefix of its name requires (RFC 6265bis section 4.1.3).
    private func keepsPrefixPromise(_ cookie: PlacedCookie) -> Bool {
        // A cookie without a name is sent as its value alone, which must not look like a prefixed name.
        let text = cookie.field.name.isEmpty ? cookie.field.value : cookie.field.name
        let isHost = ASCII.hasPrefix(text, "__Host-")
        guard isHost || ASCII.hasPrefix(text, "__Secure-") else { return true }
        guard !cookie.field.name.isEmpty, cookie.field.isSecure else { return false }
        // The attribute may name an address, which has no subdomains.
        let hasDomain = cookie.field.domain?.isEmpty == false && Self.isAddress(cookie.domain)
        return !isHost || (cookie.isHostOnly && !hasDomain && cookie.field.path == "/")
    }

    /// `true` if a cookie would be sent instead of, or beside, a `Secure` one with the same name.
    private func hides(_ cookie: PlacedCookie, _ other: HTTPCookie) -> Bool {
        guard Self.isSecure(other), other.name == cookie.field.name else { return false }
        let one = Self.withoutDot(cookie.domain)
        let two = Self.withoutDot(other.domain)
        return (Self.domainMatches(host: one, domain: two) || Self.domainMatches(host: two, domain: one))
            && Self.pathMatches(cookie.path, other.path)
    }

    /// `true` if two URLs belong to the same site, as the main document policy defines it.
    package func isSameSite(_ one: URL, _ other: URL) -> Bool {
        guard let one = CookieOrigin(url: one), let other = CookieOrigin(url: other) else { return false }
        return one.host == other.host || site(of: one.host) == site(of: other.host)
    }

    /// The part of a host that belongs to one owner; the host itself if it is an address or a suffix.
    package func site(of host: String) -> String {
        Self.isAddress(host) ? host : suffixes.registrableDomain(of: host) ?? host
    }

    // MARK: Sending

    /// `true` if a cookie is sent to an origin.
    package static func sends(_ cookie: HTTPCookie, to origin: CookieOrigin, at now: Date) -> Bool {
        let domain = cookie.domain
        let isForDomain = domain.utf8.first == UInt8(ascii: ".")
        guard
            isForDomain
                ? domainMatches(host: origin.host, domain: withoutDot(domain))
                : ASCII.equalIgnoringCase(domain, origin.host)
        else { return false }
        if isExpired(cookie, at: now) { return false }
        return pathMatches(origin.path, cookie.path) && (!isSecure(cookie) || origin.isSecure)
            && isSendable(name: cookie.name, value: cookie.value)
    }

    /// `true` if a cookie is sent over TLS only, as the prefix of its name alone says (RFC 6265bis section 4.1.3): the app
    /// may have stored it without the attribute.
    static func isSecure(_ cookie: HTTPCookie) -> Bool {
        cookie.isSecure || ASCII.hasPrefix(cookie.name, "__Secure-") || ASCII.hasPrefix(cookie.name, "__Host-")
    }

    /// `true` if a cookie has expired.
    static func isExpired(_ cookie: HTTPCookie, at now: Date) -> Bool { cookie.expiresDate.map { $0 <= now } ?? false }

    /// `true` if a cookie, from any source, is sent as exactly one cookie, without further header fields.
    static func isSendable(name: String, value: String) -> Bool {
        func fits(_ byte: UInt8) -> Bool { ASCII.isFieldByte(byte) && byte != UInt8(ascii: ";") }
        return name.utf8.allSatisfy { fits($0) && $0 != UInt8(ascii: "=") } && value.utf8.allSatisfy(fits)
            && !(name.isEmpty && value.isEmpty)
    }

    // MARK: Matching

    /// `true` if a host is the domain or a subdomain (RFC 6265bis section 5.1.3); both in lower case.
    package static func domainMatches(host: String, domain: String) -> Bool {
        let excess = host.utf8.count - domain.utf8.count
        if excess == 0 { return ASCII.equalIgnoringCase(host, domain) }
        guard excess > 0, !domain.isEmpty else { return false }
        let start = host.utf8.index(host.utf8.startIndex, offsetBy: excess)
        return host.utf8[host.utf8.index(before: start)] == UInt8(ascii: ".")
            && ASCII.equalIgnoringCase(host[start...], domain) && !isAddress(host)
    }

    /// `true` if the path of a request is a cookie's path or below it (RFC 6265bis section 5.1.4).
    package static func pathMatches(_ requestPath: String, _ cookiePath: String) -> Bool {
        let request = requestPath.utf8
        let cookie = cookiePath.utf8
        guard request.starts(with: cookie) else { return false }
        return request.count == cookie.count || cookie.isEmpty || cookie.last == UInt8(ascii: "/")
            || request[request.index(request.startIndex, offsetBy: cookie.count)] == UInt8(ascii: "/")
    }

    /// `true` if a host is an IP address: a name never ends in a number (host parser of the URL standard).
    package static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard let last = labels.last, let first = last.first else { return false }
        let isNumber = last.allSatisfy(ASCII.isDigit)
        let isHexadecimal =
            first == UInt8(ascii: "0") && last.dropFirst().first.map(ASCII.lowercased) == UInt8(ascii: "x")
        return isNumber || isHexadecimal
    }

    static func withoutDot(_ domain: String) -> String {
        domain.utf8.first == UInt8(ascii: ".") ? String(domain.dropFirst()) : domain
    }
}

/// A valid cookie with its domain and path.
package struct PlacedCookie: Sendable, Equatable {
    /// The parsed field.
    package var field: SetCookie
    /// The domain in Foundation's form, with a leading dot if subdomains receive the cookie.
    package var domain: String
    /// The path.
    package var path: String

    /// `true` if the cookie is only for its host.
    package var isHostOnly: Bool { domain.utf8.first != UInt8(ascii: ".") }

    /// The Foundation cookie; `nil` if Foundation does not accept it.
    package var cookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: field.name, .value: field.value, .domain: domain, .path: path,
        ]
        // Foundation treats any value of these properties as true.
        if field.isSecure { properties[.secure] = "TRUE" }
        if field.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        if let expires = field.expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        return HTTPCookie(properties: properties)
    }
}
