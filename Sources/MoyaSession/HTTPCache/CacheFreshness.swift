import Foundation
import MoyaTransport

/// The time for which a stored response may be used, determined once, when it is stored (RFC 9111 section 4.2).
///
/// Times are seconds since 1970.
struct CacheFreshness: Sendable, Equatable {
    /// Seconds since the server generated the response (section 4.2.1).
    var lifetime: Double
    /// The age on arrival (section 4.2.3).
    var initialAge: Double
    /// The time of arrival.
    var received: Double
    /// The time in `Date`, or the time of arrival: the most recent of several responses is used.
    var made: Double
    /// `true` if the response is validated before each use.
    var validatesAlways = false
    /// `true` if it must not be used stale, even if a request allows that (section 4.2.4).
    var forbidsStale = false
    /// `true` if it does not change while it is fresh.
    var isImmutable = false
    /// Seconds of staleness during which it may be used while it is validated.
    var staleWhileRevalidate: Double = 0
    /// Seconds of staleness during which it may replace an error, if the server sets them.
    var staleIfError: Double?

    /// The maximum heuristic lifetime: a tenth of the time since the last change, at most a week.
    private static let longestGuess: Double = 7 * 86400

    /// The seconds by which a clock may be set back before ages are unknown.
    private static let clockSlack: Double = 60

    init(status: Int, fields: [HTTPField], requested: Double, received: Double) {
        let control = CacheControl(fields.values(for: "cache-control"))
        let date = Self.date("date", fields)
        self.received = received
        made = date ?? received
        lifetime = Self.lifetime(status: status, fields, control, made: made)
        let said = fields.values(for: "age").first.flatMap(Self.statedAge) ?? 0
        let apparent = date.map { max(received - $0, 0) } ?? 0
        initialAge = max(apparent, said + max(received - requested, 0))
        validatesAlways = control.validatesAlways
        // A malformed quoted list is interpreted as the whole response, which is safe.
        if control.noCache, control.uncachedFields.allSatisfy(\.isEmpty) { validatesAlways = true }
        if fields.values(for: "cache-control").isEmpty,
            fields.values(for: "pragma").contains(where: { ASCII.equalIgnoringCase($0, "no-cache") }),
            !fields.contains("expires")
        {
            validatesAlways = true
        }
        forbidsStale = control.mustRevalidate || validatesAlways
        isImmutable = control.isImmutable
        staleWhileRevalidate = control.staleWhileRevalidate ?? 0
        staleIfError = control.staleIfError
    }

    /// `true` if a response may answer requests that were made before it arrived, except the one that it was sent for.
    ///
    /// Without explicit freshness it may, even if it is not fresh (RFC 9111 section 4.2.2). A response that became stale on
    /// its way does not: some of the requests may be newer than what it says.
    ///
    /// - Parameter fields: The fields of the response.
    func answersSeveral(_ fields: [HTTPField]) -> Bool {
        let control = CacheControl(fields.values(for: "cache-control"))
        guard !validatesAlways, !control.noStore, control.uncachedFields.isEmpty else { return false }
        return timeToLive(at: received) > 0 || control.maxAge == nil && !fields.contains("expires")
    }

    /// The seconds in an `Age` field; the first of several members counts (section 5.1).
    private static func statedAge(_ value: String) -> Double? {
        let first = value.prefix { $0 != "," }
        return CacheControl.seconds(first.trimmingCharacters(in: .whitespaces))
    }

    private static func lifetime(
        status: Int, _ fields: [HTTPField], _ control: CacheControl, made: Double
    ) -> Double {
        if let maxAge = control.maxAge { return maxAge }
        let expiries = fields.values(for: "expires")
        if !expiries.isEmpty {
            // An invalid date lies in the past (section 5.3), as do several dates.
            guard expiries.count == 1, isHTTPDate(expiries[0]), let expires = date("expires", fields) else { return 0 }
            return max(expires - made, 0)
        }
        guard CacheRules.isHeuristicallyCacheable(status) || control.isPublic,
            let changed = date("last-modified", fields)
        else { return 0 }
        return min(max((made - changed) / 10, 0), longestGuess)
    }

    /// `true` if a parsed date may be in one of the three forms (RFC 9110 section 5.6.7): dates are parsed leniently
    /// elsewhere, but a cache treats an untrusted date as stale.
    private static func isHTTPDate(_ text: String) -> Bool {
        let parts = text.split(separator: " ")
        // The asctime form has neither a comma nor a zone.
        guard parts.count > 1, parts[0].hasSuffix(",") else { return true }
        // With dashes, a year has two digits.
        return parts.last == "GMT" && (!parts[1].contains("-") || parts[1].utf8.count == 9)
    }

    private static func date(_ name: String, _ fields: [HTTPField]) -> Double? {
        fields.values(for: name).first.flatMap { HTTPDate.date(from: $0) }?.timeIntervalSince1970
    }

    /// The seconds since the server generated or validated the response; infinite if the clock was set back since.
    func age(at now: Double) -> Double {
        let resident = now - received
        return resident >= -Self.clockSlack ? initialAge + max(resident, 0) : .infinity
    }

    /// The remaining seconds of freshness; negative if the response is stale.
    func timeToLive(at now: Double) -> Double { lifetime - age(at: now) }

    /// `true` if the response may replace an error.
    ///
    /// - Parameter allowance: Seconds of staleness that the app allows if the server sets none.
    func mayReplaceError(at now: Double, allowance: Double?) -> Bool {
        guard !forbidsStale, let allowed = staleIfError ?? allowance else { return false }
        return -timeToLive(at: now) <= allowed
    }

    /// `true` if the response may be used during its validation.
    func mayBeUsedWhileValidated(at now: Double) -> Bool {
        !forbidsStale && staleWhileRevalidate > 0 && -timeToLive(at: now) <= staleWhileRevalidate
    }
}
