import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The limits of the cookie store (RFC 6265bis section 5.7, which requires at least 50 per domain and 3000 in total).
package struct CookieLimits: Sendable {
    /// The maximum number of cookies of one site, including its subdomains.
    package var site: Int
    /// The maximum number of cookies.
    package var total: Int
    /// The maximum number of cookies that a response sets.
    package var response: Int

    package init(site: Int = 180, total: Int = 3000, response: Int = 50) {
        self.site = site
        self.total = total
        self.response = response
    }

    /// The cookies to remove after a site has set some: expired ones, and if a limit is exceeded a tenth more than
    /// necessary, at most as many as a response sets, so that the next cookie does not exceed it again.
    ///
    /// `Secure` cookies are removed last, since otherwise an attacker who controls `http` responses could evict them.
    /// Of the others, those that were set least recently are removed first; the time of sending is not stored.
    ///
    /// - Parameters:
    ///   - setter: The domain of the site.
    ///   - used: The time when a cookie was last set, in seconds.
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
        let (going, staying) = cut(ofSite, to: site, used)
        return excess + going + cut(others + staying, to: total, used).going
    }

    private static func isOfSite(_ domain: String, _ site: String) -> Bool {
        CookieRules.domainMatches(host: CookieRules.withoutDot(domain), domain: site)
    }

    private func cut(
        _ cookies: [HTTPCookie], to limit: Int, _ used: (HTTPCookie) -> Double
    ) -> (going: [HTTPCookie], staying: [HTTPCookie]) {
        guard cookies.count > limit else { return ([], cookies) }
        let sorted = cookies.map { (cookie: $0, used: used($0)) }.sorted { one, other in
            if one.cookie.isSecure != other.cookie.isSecure { return other.cookie.isSecure }
            return one.used < other.used
        }.map(\.cookie)
        let count = cookies.count - limit + min(limit / 10, response)
        return (Array(sorted[..<count]), Array(sorted[count...]))
    }
}
