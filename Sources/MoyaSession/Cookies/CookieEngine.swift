import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Selects the cookies of a request and stores those of a response, by RFC 6265bis.
///
/// The store is an `HTTPCookieStorage`, so that the app's cookies are sent and servers' cookies are visible there. Its
/// own rules are not used: on Linux they ignore paths and public suffixes, and never delete cookies. A field with bytes
/// that are not UTF-8 is read as ISO 8859-1, so that its cookie is sent back in other bytes.
package final class CookieEngine: Sendable {
    /// The store.
    package let storage: HTTPCookieStorage
    private let acceptPolicy: HTTPCookie.AcceptPolicy
    private let sendsCookies: Bool
    private let rules: CookieRules
    private let limits: CookieLimits
    private let loopback: LoopbackTraffic
    /// The original creation times of cookies that were set again, which Foundation loses.
    private let creations = Lock<[CookieKey: Double]>([:])
    /// The last times when cookies were set again unchanged, in seconds.
    private let renewals = Lock<[CookieKey: Double]>([:])
    private let index = CookieIndex()
    private let folder: OwnerOnlyFolder?
    private let saved: SavedCookies?
    /// The queue on which responses store cookies; `nil` if that takes no time.
    ///
    /// Foundation on Linux writes all cookies to a file for each one.
    let queue: DispatchQueue?

    /// The maximum number of bytes in a `Cookie` field, which common servers accept; further cookies are not sent.
    static let mostBytes = 32 * 1024

    /// Makes an engine over a store.
    ///
    /// - Parameters:
    ///   - acceptPolicy: The responses that may set cookies; the store's own policy applies as well.
    ///   - sendsCookies: `true` if requests receive cookies.
    ///   - loopback: The requests without TLS that may carry `Secure` cookies.
    ///   - queue: The queue on which responses store cookies; by default one of the engine if the store has a file.
    package init(
        storage: HTTPCookieStorage, acceptPolicy: HTTPCookie.AcceptPolicy = .onlyFromMainDocumentDomain,
        sendsCookies: Bool = true, suffixes: PublicSuffixes = .system, limits: CookieLimits = CookieLimits(),
        loopback: LoopbackTraffic = LoopbackTraffic(proxy: .none), queue: DispatchQueue? = nil
    ) {
        self.storage = storage
        self.acceptPolicy = acceptPolicy
        self.sendsCookies = sendsCookies
        self.limits = limits
        self.loopback = loopback
        rules = CookieRules(suffixes: suffixes)
        self.queue = queue ?? OwnerOnlyFolder.file(of: storage).map { _ in DispatchQueue(label: "org.moya.cookies") }
        saved = SavedCookies.of(storage)
        folder = OwnerOnlyFolder(of: storage)
        folder?.restrictFiles()
    }

    /// Makes an engine for a configuration; `nil` if it has no store.
    package convenience init?(
        configuration: URLSessionConfiguration, loopback: LoopbackTraffic = LoopbackTraffic(proxy: .none)
    ) {
        guard let storage = configuration.httpCookieStorage else { return nil }
        self.init(
            storage: storage, acceptPolicy: configuration.httpCookieAcceptPolicy,
            sendsCookies: configuration.httpShouldSetCookies, loopback: loopback)
    }

    // MARK: Sending

    /// The value of the `Cookie` field for a request; `nil` if there are no cookies to add.
    ///
    /// A request with a `Cookie` field keeps it, and gets no other. Call this again for every request that follows a
    /// redirect.
    package func cookieHeader(for request: HTTPRequest, now: @autoclosure () -> Date = Date()) -> String? {
        guard sendsCookies else { return nil }
        let cookies = storage.cookies ?? []
        guard !cookies.isEmpty, !request.fields.contains("cookie"), let url = URL(string: request.url),
            let origin = CookieOrigin(url: url, loopback: loopback)
        else { return nil }
        let now = now()
        let candidates = restored(index.candidates(for: origin.host, among: cookies))
        let chosen = candidates.filter { CookieRules.sends($0, to: origin, at: now) }
        guard !chosen.isEmpty else { return nil }
        var header = ""
        for cookie in chosen.count > 1 ? inOrder(chosen) : chosen {
            let count = header.utf8.count + cookie.name.utf8.count + cookie.value.utf8.count + 3
            guard count <= Self.mostBytes else { break }
            if !header.isEmpty { header += "; " }
            if !cookie.name.isEmpty { header += cookie.name + "=" }
            header += cookie.value
        }
        return header.isEmpty ? nil : header
    }

    /// Sorts longer paths first, and among equal ones older cookies first (RFC 6265bis section 5.8.3).
    private func inOrder(_ cookies: [HTTPCookie]) -> [HTTPCookie] {
        let creations = creations.withLock { $0 }
        let keyed = cookies.map { (cookie: $0, created: Self.creation(of: $0, creations)) }
        return keyed.sorted { one, other in
            let (longer, shorter) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
            if longer != shorter { return longer > shorter }
            if one.created != other.created { return one.created < other.created }
            return one.cookie.name < other.cookie.name
        }.map(\.cookie)
    }

    // MARK: Storing

    /// `true` if responses may set cookies.
    package var storesCookies: Bool { acceptPolicy != .never }

    /// Stores the cookies of a response's `Set-Cookie` fields in order, except those that violate the rules.
    ///
    /// - Parameter isWanted: Returns `false` once the exchange is over; further cookies are then not stored.
    package func store(
        setCookieFields: [String], from url: URL, mainDocumentURL: URL? = nil, now: Date = Date(),
        while isWanted: () -> Bool = { true }
    ) {
        guard accepts(url, mainDocumentURL), let origin = CookieOrigin(url: url, loopback: loopback) else { return }
        // No lock is held while the store is called, since it may notify observers. Two concurrent responses may
        // together exceed a limit, which the next one corrects.
        var present = presentCookies(at: now)
        let countBefore = present.count
        var count = 0
        // A response may set some cookies, and remove all that a site has.
        for field in setCookieFields.prefix(limits.response + limits.site) {
            guard isWanted() else { return }
            guard let parsed = SetCookie(parsing: field, now: now),
                count < limits.response || parsed.isRemoval(at: now),
                let placed = rules.place(parsed, from: origin, among: present)
            else { continue }
            if put(placed, into: &present, at: now) { count += 1 }
        }
        guard present.count > countBefore else { return }
        let renewals = renewals.withLock { $0 }
        let excess = limits.excess(of: present, setBy: rules.site(of: origin.host), at: now) { cookie in
            max(Self.lastSet(cookie), renewals[CookieKey(cookie)] ?? 0)
        }
        excess.forEach(remove)
    }

    private func restored(_ cookies: [HTTPCookie]) -> [HTTPCookie] { saved?.restoring(cookies) ?? cookies }

    private func storeHasChanged(to new: HTTPCookie?, replacing old: HTTPCookie?) {
        saved?.record(new, replacing: old)
        folder?.restrictFiles()
    }

    /// The cookies of the store, after removing expired ones (RFC 6265bis section 5.7): an expired `Secure` cookie
    /// would otherwise block its name.
    private func presentCookies(at now: Date) -> [HTTPCookie] {
        var cookies = restored(storage.cookies ?? [])
        let valid = cookies.partition { CookieRules.isExpired($0, at: now) }
        // Each change may write all cookies; the next responses remove the others.
        cookies[valid...].prefix(limits.response).forEach(remove)
        return Array(cookies[..<valid])
    }

    private func accepts(_ url: URL, _ mainDocumentURL: URL?) -> Bool {
        switch (acceptPolicy, storage.cookieAcceptPolicy) {
        case (.never, _), (_, .never): false
        case (.always, .always): true
        default: mainDocumentURL.map { rules.isSameSite(url, $0) } ?? true
        }
    }

    /// Sets or removes a cookie; `true` if the store has a new one.
    private func put(_ placed: PlacedCookie, into present: inout [HTTPCookie], at now: Date) -> Bool {
        let index = present.firstIndex {
            $0.name == placed.field.name && $0.path == placed.path && $0.domain == placed.domain
        }
        let old = index.map { present[$0] }
        if placed.field.isRemoval(at: now) {
            if let index { remove(present.remove(at: index)) }
            return false
        }
        // An unchanged cookie is not stored again.
        if let old, placed.isSame(as: old, at: now) {
            record(now.timeIntervalSinceReferenceDate, of: old, in: renewals)
            return false
        }
        guard let cookie = placed.cookie, makeRoom(for: placed, in: &present) else { return false }
        if let old { record(Self.creation(of: old, creations.withLock { $0 }), of: old, in: creations) }
        storage.setCookie(cookie)
        storeHasChanged(to: cookie, replacing: old)
        if let index { present[index] = cookie } else { present.append(cookie) }
        return true
    }

    /// Returns if a cookie may be stored where Foundation on Linux stores another one, which it then replaces: it tells
    /// cookies of a domain apart by the text of path and name.
    private func makeRoom(for placed: PlacedCookie, in present: inout [HTTPCookie]) -> Bool {
        #if !canImport(Darwin)
        let place = placed.path + placed.field.name
        let other = present.firstIndex {
            $0.domain == placed.domain && $0.path != placed.path && $0.path + $0.name == place
        }
        if let other {
            guard placed.field.isSecure || !CookieRules.isSecure(present[other]) else { return false }
            present.remove(at: other)
        }
        #endif
        return true
    }

    private func remove(_ cookie: HTTPCookie) {
        storage.deleteCookie(cookie)
        storeHasChanged(to: nil, replacing: cookie)
        let key = CookieKey(cookie)
        creations.withLock { $0[key] = nil }
        renewals.withLock { $0[key] = nil }
    }

    /// Records a time that the store does not keep.
    private func record(_ time: Double, of cookie: HTTPCookie, in times: borrowing Lock<[CookieKey: Double]>) {
        times.withLock { times in
            // Cookies deleted by the app are still recorded here; the record never exceeds the limit of cookies.
            if times.count >= limits.total { times.removeAll() }
            times[CookieKey(cookie)] = time
        }
    }

    private static func creation(of cookie: HTTPCookie, _ creations: [CookieKey: Double]) -> Double {
        if !creations.isEmpty, let created = creations[CookieKey(cookie)] { return created }
        return lastSet(cookie)
    }

    /// The time when a cookie was last set, in seconds; Foundation stores the time when it made the cookie.
    private static func lastSet(_ cookie: HTTPCookie) -> Double {
        cookie.properties?[HTTPCookiePropertyKey("Created")] as? Double ?? 0
    }
}

/// The key that determines which cookies replace each other.
private struct CookieKey: Hashable {
    var name: String
    var domain: String
    var path: String

    init(_ cookie: HTTPCookie) {
        name = cookie.name
        domain = cookie.domain
        path = cookie.path
    }
}

extension PlacedCookie {
    /// `true` if storing would change nothing in the stored cookie with the same name, domain and path; the expiry may
    /// differ by a second, or by a hundredth of the remaining life.
    fileprivate func isSame(as old: HTTPCookie, at now: Date) -> Bool {
        guard ASCII.haveSameBytes(old.value, field.value), old.isSecure == field.isSecure,
            old.isHTTPOnly == field.isHTTPOnly
        else {
            return false
        }
        switch (old.expiresDate, field.expires) {
        case (nil, nil): return true
        case (let one?, let other?):
            return abs(one.timeIntervalSince(other)) < max(1, other.timeIntervalSince(now) / 100)
        default: return false
        }
    }
}
