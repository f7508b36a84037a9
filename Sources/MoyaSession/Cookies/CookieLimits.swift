package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The limits of the cookie store (RFC 6265bis section 5.7, which requires at least 50 of a domain and 3000 in all).
package struct CookieLimits: Sendable {
    /// The most cookies of one site, its subdomains with it.
    package var site = 180
    /// The most cookies.
    package var total = 3000

    package init() {}

    package init(site: Int, total: Int) {
        self.site = site
        self.total = total
    }

    /// The cookies that are to go now that a site has set some: the expired ones, and where a limit is passed a tenth
    /// more than need be, so that the next cookie does not pass it again.
    ///
    /// `Secure` ones go last, or an attacker who can answer in the server's place over `http` could push them out.
    /// Among others those go first that were not set for the longest time: when a cookie was sent is not kept.
    ///
    /// - Parameters:
    ///   - setter: The domain of the site.
    ///   - used: The time of a cookie's last setting, in seconds.
    package func excess(
        of cookies: [HTTPCookie], setBy setter: String, at now: Date, used: (HTTPCookie) -> Double
    ) -> [HTTPCookie] {
        var excess: [HTTPCookie] = []
        var ofSite: [HTTPCookie] = []
        var others: [HTTPCookie] = []
        for cookie in cookies {
            if CookieRules.isExpired(cookie, at: now) {
                excess.append(cookie)
            } else if Self.isOfSite(cookie.domain, setter) {
                ofSite.append(cookie)
            } else {
                others.append(cookie)
            }
        }
        let (going, staying) = Self.cut(ofSite, to: site, used)
        return excess + going + Self.cut(others + staying, to: total, used).going
    }

    private static func isOfSite(_ domain: String, _ site: String) -> Bool {
        let host = domain.utf8.first == UInt8(ascii: ".") ? String(domain.dropFirst()) : domain
        return CookieRules.domainMatches(host: host, domain: site)
    }

    private static func cut(
        _ cookies: [HTTPCookie], to limit: Int, _ used: (HTTPCookie) -> Double
    ) -> (going: [HTTPCookie], staying: [HTTPCookie]) {
        guard cookies.count > limit else { return ([], cookies) }
        let sorted = cookies.map { (cookie: $0, used: used($0)) }.sorted { one, other in
            if one.cookie.isSecure != other.cookie.isSecure { return other.cookie.isSecure }
            return one.used < other.used
        }.map(\.cookie)
        let count = cookies.count - limit + limit / 10
        return (Array(sorted[..<count]), Array(sorted[count...]))
    }
}
