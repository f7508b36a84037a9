import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Finds the cookies for a host among many, without examining each.
///
/// A store does not announce changes and has no change count. So each search compares the store's cookies with the
/// indexed ones: a cookie never changes, so the same objects are the same cookies. Cookies are indexed when two
/// successive searches find the same ones; a store that makes new objects for each caller is never indexed.
final class CookieIndex: Sendable {
    private struct Known {
        var cookies: [HTTPCookie] = []
        /// The positions of the cookies by domain, in lower case and without a leading dot; `nil` until needed.
        var positions: [String: [Int]]?
    }

    private let known = Lock(Known())

    /// The maximum number of cookies for which examining each costs less than a search.
    private static let fewCookies = 16

    /// The cookies whose domain is a host or one of its parents, in the order of the store, or all of them.
    ///
    /// - Parameter host: The host in lower case.
    func candidates(for host: String, among cookies: [HTTPCookie]) -> [HTTPCookie] {
        guard cookies.count > Self.fewCookies else { return cookies }
        // Comparing, indexing and releasing cookies calls Foundation, which must not happen under the lock.
        let last = known.withLock { $0 }
        guard Self.areSame(last.cookies, cookies) else {
            let new = Known(cookies: cookies)
            _ = known.exchange(new)
            return cookies
        }
        let positions = last.positions ?? Self.positions(of: cookies)
        if last.positions == nil { _ = known.exchange(Known(cookies: last.cookies, positions: positions)) }
        return Self.positions(for: host, in: positions).map { cookies[$0] }
    }

    private static func areSame(_ some: [HTTPCookie], _ others: [HTTPCookie]) -> Bool {
        guard some.count == others.count else { return false }
        for index in some.indices where some[index] !== others[index] { return false }
        return true
    }

    private static func positions(of cookies: [HTTPCookie]) -> [String: [Int]] {
        var positions: [String: [Int]] = [:]
        for (index, cookie) in cookies.enumerated() {
            let domain = cookie.domain.utf8
            let bytes = domain.first == UInt8(ascii: ".") ? domain.dropFirst() : domain[...]
            positions[String(decoding: bytes.map(ASCII.lowercased), as: UTF8.self), default: []].append(index)
        }
        return positions
    }

    /// The positions of a host and of each parent domain, ascending.
    private static func positions(for host: String, in positions: [String: [Int]]) -> [Int] {
        var found = positions[host] ?? []
        let own = found.count
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[dot...].dropFirst()
            if let parents = positions[String(Substring(rest))] { found += parents }
        }
        return found.count > own ? found.sorted() : found
    }
}
