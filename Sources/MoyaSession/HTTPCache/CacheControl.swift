import Foundation
package import MoyaTransport

/// The directives of `Cache-Control` fields (RFC 9111 section 5.2).
package struct CacheControl: Sendable, Equatable {
    package var noStore = false
    package var noCache = false
    package var onlyIfCached = false
    package var mustRevalidate = false
    package var isPublic = false
    package var isPrivate = false
    /// Seconds; 0 if the number is malformed, since an unknown value must not be trusted.
    package var maxAge: TimeInterval?
    /// Seconds; infinite for a directive without a number.
    package var maxStale: TimeInterval?
    package var minFresh: TimeInterval?
    /// `true` if the whole response has to be validated before each use: `no-cache` without field names.
    package var validatesAlways = false
    /// The field names of `no-cache`, in lower case.
    package var uncachedFields: [String] = []
    /// `true` if the response does not change while it is fresh (RFC 8246).
    package var isImmutable = false
    /// `true` if `no-store` applies only to caches that do not know the status code.
    package var mustUnderstand = false
    /// Seconds for which a stale response may be used during validation (RFC 5861 section 3).
    package var staleWhileRevalidate: TimeInterval?
    /// Seconds for which a stale response may replace an error (RFC 5861 section 4).
    package var staleIfError: TimeInterval?

    /// Parses the values of all the fields of a message.
    package init(_ values: [String]) {
        for value in values {
            var rest = value[...]
            while let (name, argument) = Self.directive(&rest) { take(name, argument) }
        }
    }

    /// Parses the directives of a request; an HTTP/1.0 request may use `Pragma`.
    package init(request fields: [HTTPField]) {
        self.init(fields.values(for: "cache-control"))
        if self == CacheControl([]), CacheControl(fields.values(for: "pragma")).noCache { noCache = true }
    }

    private mutating func take(_ name: Substring, _ argument: String?) {
        switch name.lowercased() {
        case "no-store": noStore = true
        // With field names it concerns only those, but `noCache` has the safe interpretation: the whole response.
        case "no-cache":
            noCache = true
            guard let argument else { return validatesAlways = true }
            uncachedFields += argument.split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces).lowercased()
            }
        case "immutable": isImmutable = true
        case "must-understand": mustUnderstand = true
        case "stale-while-revalidate":
            staleWhileRevalidate = staleWhileRevalidate ?? Self.seconds(argument) ?? 0
        case "stale-if-error": staleIfError = staleIfError ?? Self.seconds(argument) ?? 0
        case "only-if-cached": onlyIfCached = true
        case "must-revalidate": mustRevalidate = true
        case "public": isPublic = true
        case "private": isPrivate = true
        // The first of contradicting ones counts (RFC 9111 section 4.2.1).
        case "max-age": maxAge = maxAge ?? Self.seconds(argument) ?? 0
        case "max-stale": maxStale = maxStale ?? (argument == nil ? .infinity : Self.seconds(argument) ?? 0)
        case "min-fresh": minFresh = minFresh ?? Self.seconds(argument)
        default: break
        }
    }

    /// Whole seconds, at most 2^31 (RFC 9111 section 1.2.2).
    static func seconds(_ text: String?) -> TimeInterval? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return text.utf8.reduce(0) { min($0 * 10 + TimeInterval($1 - 0x30), 2_147_483_648) }
    }

    /// The next directive, `name`, `name=token` or `name="quoted"`; `nil` at the end.
    private static func directive(_ rest: inout Substring) -> (Substring, String?)? {
        rest = rest.drop { $0 == "," || $0 == " " || $0 == "\t" }
        guard !rest.isEmpty else { return nil }
        let name = rest.prefix { $0 != "=" && $0 != "," && $0 != " " && $0 != "\t" }
        rest = rest[name.endIndex...].drop { $0 == " " || $0 == "\t" }
        guard rest.first == "=" else {
            // Text that is neither an argument nor the next directive is ignored.
            rest = rest.drop { $0 != "," }
            return (name, nil)
        }
        rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
        var argument = ""
        if rest.first == "\"" {
            argument = quoted(&rest)
        } else {
            argument = String(rest.prefix { $0 != "," })
            while argument.last == " " || argument.last == "\t" { argument.removeLast() }
        }
        rest = rest.drop { $0 != "," }
        return (name, argument)
    }

    /// The text of a quoted string (RFC 9110 section 5.6.4), to the end if it is not closed.
    private static func quoted(_ rest: inout Substring) -> String {
        var text = ""
        rest.removeFirst()
        while let next = rest.popFirst(), next != "\"" {
            guard next == "\\" else {
                text.append(next)
                continue
            }
            if let escaped = rest.popFirst() { text.append(escaped) }
        }
        return text
    }
}
