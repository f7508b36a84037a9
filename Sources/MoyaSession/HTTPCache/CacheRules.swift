import Foundation
import MoyaTransport

/// Decisions of a private cache that depend only on a request and a response (RFC 9111).
enum CacheRules {
    // MARK: Storing (section 3)

    /// `true` if a response may be stored.
    static func mayStore(status: Int, _ fields: [HTTPField], for request: CacheRequest) -> Bool {
        // A 304 and a 412 answer the conditions of a request, which are not part of the key.
        guard request.isGET, !request.isBypassed, status >= 200, status != 304, status != 412 else { return false }
        if request.control?.noStore == true { return false }
        let control = CacheControl(fields.values(for: "cache-control"))
        if forbidsStoring(status: status, fields, control) { return false }
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

    /// `true` if a response may not be stored, whatever the request: it says so, or no other request can match it.
    static func forbidsStoring(status: Int, _ fields: [HTTPField], _ control: CacheControl) -> Bool {
        if control.mustUnderstand ? !isUnderstood(status) : control.noStore { return true }
        let names = varyingNames(of: fields)
        return names.contains("*") || names.count > mostVaryingNames
    }

    /// Statuses of responses that may be stored without explicit permission (RFC 9110 section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Final statuses whose caching rules are implemented (section 5.2.2.3).
    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...303, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }

    /// The stored fields of a response: without those of a connection (section 3.1), those that `no-cache` names, and
    /// cookies, which were for one client at that time and do not belong in a file.
    static func storedFields(_ fields: [HTTPField]) -> [HTTPField] {
        var names = unstored
        names.formUnion(CacheControl(fields.values(for: "cache-control")).uncachedFields)
        for value in fields.values(for: "connection") {
            for name in value.split(separator: ",") {
                names.insert(name.trimmingCharacters(in: .whitespaces).lowercased())
            }
        }
        return fields.filter { !names.contains($0.name.lowercased()) }
    }

    private static let unstored: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "set-cookie", "set-cookie2",
    ]

    /// Fields that describe the stored body, and that a 304 cannot change.
    private static let describesBody: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-type",
    ]

    /// The part of the resource in a 206 response.
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

    /// The values that select a response for later requests.
    static func variants(
        of fields: [HTTPField], for request: CacheRequest, fingerprint: (String) -> String
    ) -> [CacheVariant] {
        varyingNames(of: fields).map { name in
            let value = variantValue(
                of: name, in: request.http.fields, credentials: request.credentials, fingerprint: fingerprint)
            return CacheVariant(name: name, value: value)
        }
    }

    /// The value of a field as variants compare it: its members joined, without surrounding white space.
    ///
    /// For preference fields (`Accept`, `Accept-Language` and so on), case and order are ignored, unless a value is
    /// quoted; the case of a media type's parameters may count (RFC 9110 section 5.6.6). Of equal weights in `Accept` and `Accept-Language`, some servers prefer the first (RFC 9110 section 12.5.4):
    /// order then counts.
    static func variantValue(
        of name: String, in fields: [HTTPField], credentials: CredentialFields = CredentialFields(),
        fingerprint: (String) -> String
    ) -> String {
        let values = fields.values(for: name)
        guard !values.isEmpty else { return "" }
        var members = values.flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        if preferences.contains(name), !values.contains(where: { $0.contains("\"") }) {
            members = members.map { name == "accept" ? mediaRange($0) : $0.lowercased() }
            let isOrdered = ["accept", "accept-language"].contains(name)
            if !isOrdered || Set(members.map(weight(of:))).count == members.count { members.sort() }
        }
        let value = members.joined(separator: ",")
        // Equal strings beyond ASCII may have different bytes; fingerprints differ.
        let isHidden =
            credentials.separatesResponses(name) || value.utf8.count > longestVariant
            || !value.utf8.allSatisfy { $0 < 0x80 }
        return isHidden ? "#" + fingerprint(value) : "=" + value
    }

    /// A media range in lower case, except the values of its parameters.
    private static func mediaRange(_ member: String) -> String {
        let parts = member.split(separator: ";", omittingEmptySubsequences: false)
        let parameters = parts.dropFirst().map { parameter in
            let name = parameter.prefix { $0 != "=" }
            return name.lowercased() + parameter[name.endIndex...]
        }
        return ([parts[0].lowercased()] + parameters).joined(separator: ";")
    }

    /// The weight of a member (RFC 9110 section 12.4.2).
    private static func weight(of member: String) -> Double {
        let parameters = member.split(separator: ";").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
        return parameters.last { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
    }

    /// The fields whose members have no case (RFC 9110 section 12.5).
    private static let preferences: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    /// The maximum number of names in the `Vary` of a stored response; comparing more would slow down every lookup.
    private static let mostVaryingNames = 64

    /// The maximum number of bytes of a stored value; a longer one is replaced with a fingerprint.
    private static let longestVariant = 256

    /// `true` if a request selects a stored response of its URL.
    static func matches(
        _ stored: CachedResponse, _ request: CacheRequest, _ values: inout CacheVariantValues,
        fingerprint: (String) -> String
    ) -> Bool {
        guard request.credential.mayUse(stored.credential) else { return false }
        return stored.variants.allSatisfy { $0.value == values.value(of: $0.name, fingerprint: fingerprint) }
    }

    // MARK: Validation (section 4.3)

    /// The fields that validate a response; empty without a validator.
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

    /// `true` if a 304 may confirm a stored response: with an entity tag, it confirms only the response with that tag
    /// (section 4.3.4).
    ///
    /// Tags are compared weakly: servers that compress a body weaken the tag of a 200 but not that of its 304.
    static func confirms(_ stored: CachedResponse, _ fields: [HTTPField]) -> Bool {
        guard let new = fields.values(for: "etag").first else { return true }
        return stored.fields.values(for: "etag").first.map { EntityTag.areWeaklyEqual($0, new) } ?? new.hasPrefix("W/")
    }

    /// The fields of a stored response after a newer one without a body, whose fields replace those with the same names
    /// (section 3.2), but for a strong tag instead of a weak one: the stored bytes may differ (section 4.3.4).
    static func freshened(_ stored: [HTTPField], by newer: [HTTPField]) -> [HTTPField] {
        let isWeak = stored.values(for: "etag").first?.hasPrefix("W/") == true
        let new = storedFields(newer).filter { field in
            let name = field.name.lowercased()
            return !describesBody.contains(name) && !(isWeak && name == "etag" && !field.value.hasPrefix("W/"))
        }
        let names = Set(new.map { $0.name.lowercased() })
        // A newer `no-cache` may name a field that is stored.
        return storedFields(stored.filter { !names.contains($0.name.lowercased()) } + new)
    }

    /// `true` if a successful response to a `HEAD` request describes a stored response (section 4.3.5).
    static func isAbout(_ stored: CachedResponse, _ fields: [HTTPField]) -> Bool {
        // A stored error or redirect is outdated.
        guard stored.status == 200 else { return false }
        return ["etag", "last-modified", "content-length"].allSatisfy { name in
            guard let new = fields.values(for: name).first else { return true }
            if let old = stored.fields.values(for: name).first { return old == new }
            // Without a validator, the stored body may be that of an earlier version; the length of a coded one is unknown.
            return name == "content-length" && !stored.isCoded && new == String(stored.body.count)
        }
    }

    // MARK: Invalidation (section 4.4)

    /// `true` if a response shows that responses stored under its URL are outdated.
    static func invalidates(status: Int, method: String) -> Bool {
        !HTTPRequest.isSafe(method) && (200..<400).contains(status)
    }

    /// The keys to invalidate: the URL of the request, and same-origin URLs in the response.
    static func invalidatedURLs(_ fields: [HTTPField], after url: String) -> [String] {
        guard let base = URL(string: url) else { return [url] }
        let named = ["location", "content-location"].flatMap { fields.values(for: $0) }
            .compactMap { URL(reference: $0, relativeTo: base)?.absoluteURL }
            .filter { RedirectRules.isSameOrigin($0, base) }
            .map { CacheKey.normalized(String($0.absoluteString.prefix { $0 != "#" })) }
        return [url] + named
    }

    /// Scheme, host and port of a URL.
    static func origin(of url: String) -> Substring {
        guard let scheme = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return url[...] }
        let host = url[scheme...].utf8.drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        let end = host.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? url.endIndex
        return url[..<end]
    }

    /// `true` if the server requests removal of its stored responses (`Clear-Site-Data: "cache"`).
    static func clearsCache(_ fields: [HTTPField], url: String) -> Bool {
        guard ASCII.hasPrefix(url, "https:") else { return false }
        return fields.values(for: "clear-site-data").contains { $0.contains("\"cache\"") || $0.contains("\"*\"") }
    }
}

/// The values of a request's fields as variants compare them, each computed once for all the stored responses.
struct CacheVariantValues {
    private let fields: [HTTPField]
    private let credentials: CredentialFields
    private var known: [String: String] = [:]

    init(of request: CacheRequest) {
        fields = request.http.fields
        credentials = request.credentials
    }

    /// The value of a field.
    ///
    /// - Parameter name: Name in lower case.
    mutating func value(of name: String, fingerprint: (String) -> String) -> String {
        if let value = known[name] { return value }
        let value = CacheRules.variantValue(
            of: name, in: fields, credentials: credentials, fingerprint: fingerprint)
        known[name] = value
        return value
    }
}
