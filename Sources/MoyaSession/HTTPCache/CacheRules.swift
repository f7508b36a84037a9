import Foundation
import MoyaTransport

/// Decisions of a private cache that depend on nothing but a request and a response (RFC 9111).
enum CacheRules {
    // MARK: Storing (section 3)

    /// `true` if a response may be stored.
    static func mayStore(status: Int, _ fields: [HTTPField], for request: CacheRequest) -> Bool {
        guard request.isGET, !request.isBypassed, status >= 200, status != 304 else { return false }
        if request.control?.noStore == true { return false }
        let control = CacheControl(fields.values(for: "cache-control"))
        if control.mustUnderstand {
            guard isUnderstood(status) else { return false }
        } else if control.noStore {
            return false
        }
        if varyingNames(of: fields).contains("*") { return false }
        if status == 206 {
            guard request.range != nil, contentRange(of: fields) != nil, !fields.contains("content-encoding") else {
                return false
            }
        } else if request.range != nil, status != 200 {
            return false
        }
        return isHeuristicallyCacheable(status) || control.isPublic || control.isPrivate || control.maxAge != nil
            || fields.contains("expires")
    }

    /// Statuses of responses that may be stored without a word about it (RFC 9110 section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Final statuses whose caching the cache knows (section 5.2.2.3).
    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...303, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }

    /// The fields that are stored of a response (section 3.1), without those that `no-cache` names.
    static func storedFields(_ fields: [HTTPField]) -> [HTTPField] {
        let kept = HTTPCacheRules.keptFields(of: fields)
        let dropped = CacheControl(fields.values(for: "cache-control")).uncachedFields
        guard !dropped.isEmpty else { return kept }
        return kept.filter { !dropped.contains($0.name.lowercased()) }
    }

    /// The part that a 206 response carries.
    static func contentRange(of fields: [HTTPField]) -> ContentRange? {
        fields.values(for: "content-range").first.flatMap { ContentRange($0) }
    }

    // MARK: Variants (section 4.1)

    /// The names in `Vary`, in lower case, sorted.
    static func varyingNames(of fields: [HTTPField]) -> [String] {
        let values = fields.values(for: "vary")
        guard !values.isEmpty else { return [] }
        let names = values.flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        return Set(names).filter { !$0.isEmpty }.sorted()
    }

    /// The values by which a response is chosen for later requests.
    static func variants(
        of fields: [HTTPField], for request: HTTPRequest, fingerprint: (String) -> String
    ) -> [CacheVariant] {
        varyingNames(of: fields).map { name in
            CacheVariant(name: name, value: variantValue(of: name, in: request.fields, fingerprint: fingerprint))
        }
    }

    /// The value of a field as variants compare it: its members joined, with no white space around them.
    ///
    /// The members of a field of preferences (`Accept`, `Accept-Language` and their like) have neither case nor order.
    static func variantValue(of name: String, in fields: [HTTPField], fingerprint: (String) -> String) -> String {
        let values = fields.values(for: name)
        guard !values.isEmpty else { return "" }
        var members = values.flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        if name.hasPrefix("accept") { members = members.map { $0.lowercased() }.sorted() }
        let value = members.joined(separator: ",")
        guard SecretMask.hidesHeader(named: name) || name == "cookie" else { return "=" + value }
        return "#" + fingerprint(value)
    }

    /// `true` if a request selects a stored response.
    static func matches(
        _ stored: CachedResponse, _ request: CacheRequest, fingerprint: (String) -> String
    ) -> Bool {
        guard request.credential.mayUse(stored.credential) else { return false }
        return stored.variants.allSatisfy { variant in
            variant.value == variantValue(of: variant.name, in: request.http.fields, fingerprint: fingerprint)
        }
    }

    // MARK: Validation (section 4.3)

    /// The fields that validate a response; empty where it has no validator.
    static func conditions(for stored: CachedResponse) -> [HTTPField] {
        var fields: [HTTPField] = []
        if let tag = stored.fields.values(for: "etag").first {
            fields.append(HTTPField(name: "If-None-Match", value: tag))
        }
        if let changed = stored.fields.values(for: "last-modified").first {
            fields.append(HTTPField(name: "If-Modified-Since", value: changed))
        }
        return fields.filter { !$0.value.isEmpty && ASCII.isFieldValue($0.value) }
    }

    /// The fields of a stored response after a newer one without a body: those of the newer replace those of the same
    /// names (section 3.2).
    static func freshened(_ stored: [HTTPField], by newer: [HTTPField]) -> [HTTPField] {
        let new = storedFields(newer).filter { !HTTPCacheRules.describesBody.contains($0.name.lowercased()) }
        let names = Set(new.map { $0.name.lowercased() })
        return stored.filter { !names.contains($0.name.lowercased()) } + new
    }

    /// `true` if the response to a `HEAD` request is about a stored response (section 4.3.5).
    static func isAbout(_ stored: CachedResponse, _ fields: [HTTPField]) -> Bool {
        ["etag", "last-modified", "content-length"].allSatisfy { name in
            guard let new = fields.values(for: name).first else { return true }
            return stored.fields.values(for: name).first.map { $0 == new } ?? true
        }
    }

    // MARK: Invalidation (section 4.4)

    /// `true` if a response shows that the responses stored under its URL are outdated.
    static func invalidates(status: Int, method: String) -> Bool {
        !HTTPRequest.isSafe(method) && (200..<400).contains(status)
    }

    /// The keys to invalidate: the URL of the request, and those that the response names, of the same origin.
    static func invalidatedURLs(_ fields: [HTTPField], after url: String) -> [String] {
        guard let base = URL(string: url) else { return [url] }
        let named = ["location", "content-location"].flatMap { fields.values(for: $0) }
            .compactMap { URL(string: $0, relativeTo: base)?.absoluteURL }
            .filter { RedirectRules.isSameOrigin($0, base) }
            .map { String($0.absoluteString.prefix { $0 != "#" }) }
        return [url] + named
    }

    /// Scheme, host and port at the beginning of a URL.
    static func origin(of url: String) -> Substring {
        guard let scheme = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return url[...] }
        let host = url[scheme...].utf8.drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        let end = host.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? url.endIndex
        return url[..<end]
    }

    /// `true` if the server asks for its stored responses to be forgotten (`Clear-Site-Data: "cache"`).
    static func clearsCache(_ fields: [HTTPField], url: String) -> Bool {
        guard ASCII.hasPrefix(url, "https:") else { return false }
        return fields.values(for: "clear-site-data").contains { $0.contains("\"cache\"") || $0.contains("\"*\"") }
    }
}
