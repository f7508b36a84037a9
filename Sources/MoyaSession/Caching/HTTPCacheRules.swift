package import Foundation
package import MoyaTransport

/// Decides which responses a private cache may store, and for how long they are fresh (RFC 9111).
package enum HTTPCacheRules {
    // MARK: Storing (section 3)

    /// `true` if a response may be kept.
    package static func mayStore(_ head: TransportResponseHead, for request: HTTPRequest) -> Bool {
        guard request.method == "GET", !request.fields.contains("range") else { return false }
        if CacheControl(request: request.fields).noStore { return false }
        let control = CacheControl(head.values(for: "cache-control"))
        if control.noStore || variesByEverything(head) { return false }
        // Partial responses are not stored, nor those about the exchange rather than the resource.
        guard head.status >= 200, head.status != 206, head.status != 304 else { return false }
        return isUsuallyKept(head.status) || control.isPublic || control.isPrivate || control.maxAge != nil
            || head.value(for: "expires") != nil
    }

    /// Statuses that are stored by default: of those that may be (RFC 9110 section 15.1) not the partial ones, nor the
    /// refusals, which would stay for the first reader of the cache.
    private static func isUsuallyKept(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 410: true
        default: false
        }
    }

    /// The stored form of a response.
    ///
    /// - Parameters:
    ///   - url: The URL of the request, as the transport is given it.
    ///   - requested: The time at which the request was sent.
    ///   - received: The time at which the response began to arrive.
    package static func stored(
        _ head: TransportResponseHead, _ body: Data, for request: HTTPRequest, at url: URL, requested: Date,
        received: Date
    ) -> StoredResponse {
        var variants: [String: String] = [:]
        for name in varyingNames(of: head) { variants[name] = value(of: name, in: request.fields) }
        return StoredResponse(
            url: url, head: TransportResponseHead(status: head.status, fields: keptFields(of: head.fields)), body: body,
            requested: requested, received: received, variants: variants, credential: credential(of: request))
    }

    /// The fields that are stored: not those that are about one connection (section 3.1), nor cookies, which were for the
    /// one client then, and a file of responses is no place for them.
    package static func keptFields(of fields: [HTTPField]) -> [HTTPField] {
        var names = unkept
        for value in fields.values(for: "connection") {
            for name in value.split(separator: ",") {
                names.insert(name.trimmingCharacters(in: .whitespaces).lowercased())
            }
        }
        return fields.filter { !names.contains($0.name.lowercased()) }
    }

    private static let unkept: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "set-cookie", "set-cookie2",
    ]

    // MARK: Matching (section 4.1)

    /// `true` if a request would have had that response, by the fields that it varies by.
    package static func matches(_ stored: StoredResponse, _ request: HTTPRequest) -> Bool {
        if variesByEverything(stored.head) { return false }
        return varyingNames(of: stored.head).allSatisfy { stored.variants[$0] == value(of: $0, in: request.fields) }
    }

    /// `true` if the request shows the credential that the response was given for.
    ///
    /// A private cache need not check, by the letter; but a program may log one user out and another one in.
    package static func hasSameCredential(_ stored: StoredResponse, _ request: HTTPRequest) -> Bool {
        stored.credential == credential(of: request)
    }

    /// A fingerprint that says nothing of the credential: it is made with a key that ends with the process.
    private static func credential(of request: HTTPRequest) -> Int? {
        let values = request.fields.values(for: "authorization")
        return values.isEmpty ? nil : values.hashValue
    }

    private static func variesByEverything(_ head: TransportResponseHead) -> Bool {
        varyingNames(of: head).contains("*")
    }

    /// The names in `Vary`, in lower case.
    private static func varyingNames(of head: TransportResponseHead) -> [String] {
        guard head.value(for: "vary") != nil else { return [] }
        return head.values(for: "vary").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }.filter { !$0.isEmpty }
    }

    /// The value that a response may vary by: empty where there is no such field, the values joined where there are more.
    ///
    /// Of a secret it is a fingerprint, since it may be written to a file.
    private static func value(of name: String, in fields: [HTTPField]) -> String {
        let value = fields.values(for: name).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: ",")
        return SecretMask.hidesHeader(named: name) && !value.isEmpty ? "#\(value.hashValue)" : value
    }

    // MARK: Freshness (section 4.2)

    /// The freshness lifetime of a response in seconds, since its server made it.
    package static func lifetime(of stored: StoredResponse) -> TimeInterval {
        let control = CacheControl(stored.head.values(for: "cache-control"))
        if let maxAge = control.maxAge { return maxAge }
        let made = date("date", stored.head) ?? stored.received
        if stored.head.value(for: "expires") != nil {
            // A value that is no date lies in the past (section 5.3): servers send 0 or -1.
            guard let expires = date("expires", stored.head), let made else { return 0 }
            return max(expires.timeIntervalSince(made), 0)
        }
        guard isUsuallyKept(stored.head.status), let made, let changed = date("last-modified", stored.head) else {
            return 0
        }
        return min(max(made.timeIntervalSince(changed) / 10, 0), longestGuess)
    }

    /// The longest heuristic lifetime: a response with only a Last-Modified date is fresh for a tenth of the time since
    /// then, a week at most.
    private static let longestGuess: TimeInterval = 7 * 86400

    /// The seconds since the server made a response, or validated it (section 4.2.3).
    package static func age(of stored: StoredResponse, at now: Date) -> TimeInterval {
        guard let received = stored.received ?? date("date", stored.head) else { return .infinity }
        let apparent = date("date", stored.head).map { max(received.timeIntervalSince($0), 0) } ?? 0
        let delay = stored.requested.map { max(received.timeIntervalSince($0), 0) } ?? 0
        let said = stored.head.value(for: "age").flatMap(statedAge) ?? 0
        // A clock that was set back must not make it younger.
        return max(apparent, said + delay) + max(now.timeIntervalSince(received), 0)
    }

    /// The seconds that an `Age` field states; of several members the first counts (RFC 9111 section 5.1).
    package static func statedAge(_ value: String) -> TimeInterval? {
        let first = value.prefix { $0 != "," }
        return CacheControl.seconds(first.trimmingCharacters(in: .whitespaces))
    }

    /// `true` if a response answers a request without a request to the server.
    package static func isFresh(_ stored: StoredResponse, for request: HTTPRequest, at now: Date) -> Bool {
        let control = CacheControl(stored.head.values(for: "cache-control"))
        let wanted = CacheControl(request: request.fields)
        guard !control.noCache, !wanted.noCache, hasSameCredential(stored, request) else { return false }
        let age = age(of: stored, at: now)
        let lifetime = lifetime(of: stored)
        if let limit = wanted.maxAge, age >= limit { return false }
        if age + (wanted.minFresh ?? 0) < lifetime { return true }
        guard let allowance = wanted.maxStale, wanted.minFresh == nil, !control.mustRevalidate else { return false }
        return age - lifetime <= allowance
    }

    private static func date(_ name: StaticString, _ head: TransportResponseHead) -> Date? {
        head.value(for: name).flatMap { HTTPDate.date(from: $0) }
    }

    // MARK: Validation (section 4.3)

    /// The fields that validate a response; empty where it has no validator.
    package static func conditions(for stored: StoredResponse) -> [HTTPField] {
        var fields: [HTTPField] = []
        if let tag = stored.head.value(for: "etag") { fields.append(HTTPField(name: "If-None-Match", value: tag)) }
        if let changed = stored.head.value(for: "last-modified") {
            fields.append(HTTPField(name: "If-Modified-Since", value: changed))
        }
        return fields.filter { !$0.value.isEmpty && !SetCookie.hasControlBytes($0.value) }
    }

    /// A stored response once a 304 said that it is still good: the fields of the 304 replace those of the same names
    /// (section 3.2).
    package static func freshened(
        _ stored: StoredResponse, by head: TransportResponseHead, for request: HTTPRequest, requested: Date,
        received: Date
    ) -> StoredResponse {
        let new = keptFields(of: head.fields).filter { !describesBody.contains($0.name.lowercased()) }
        let names = Set(new.map { $0.name.lowercased() })
        let fields = stored.head.fields.filter { field in
            let name = field.name.lowercased()
            // An age that is not said again is that of the answer before.
            return !names.contains(name) && name != "age"
        }
        let merged = TransportResponseHead(status: stored.head.status, fields: fields + new)
        return self.stored(merged, stored.body, for: request, at: stored.url, requested: requested, received: received)
    }

    /// Fields that are true of the body that is kept, whatever a 304 says.
    package static let describesBody: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-type",
    ]

    // MARK: Invalidation (section 4.4)

    /// `true` if a response shows that the responses stored under its URL are outdated.
    package static func invalidates(_ head: TransportResponseHead, after request: HTTPRequest) -> Bool {
        !HTTPRequest.isSafe(request.method) && (200..<400).contains(head.status)
    }

    /// The keys to invalidate: the URL of the request, and those that the response names, of the same origin.
    package static func invalidatedURLs(_ head: TransportResponseHead, after url: URL) -> [URL] {
        let named = [head.value(for: "location"), head.value(for: "content-location")]
            .compactMap { $0 }.compactMap { URL(string: $0, relativeTo: url)?.absoluteURL }
        return [url] + named.filter { RedirectRules.isSameOrigin($0, url) }
    }
}
