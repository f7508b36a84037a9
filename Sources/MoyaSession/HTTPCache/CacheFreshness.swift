import Foundation
import MoyaTransport

/// The time for which a stored response answers requests, decided once, when it is stored (RFC 9111 section 4.2).
///
/// Times are seconds since 1970.
struct CacheFreshness: Sendable, Equatable {
    /// Seconds since the server made the response (section 4.2.1).
    var lifetime: Double
    /// The age on arrival (section 4.2.3).
    var initialAge: Double
    /// The time of arrival.
    var received: Double
    /// `true` if the response is validated before each use.
    var validatesAlways = false
    /// `true` if it must not be used stale, not even where a request allows that (section 4.2.4).
    var forbidsStale = false
    /// `true` if it does not change while it is fresh.
    var isImmutable = false
    /// Seconds of staleness during which it is used while it is validated.
    var staleWhileRevalidate: Double = 0
    /// Seconds of staleness during which it stands for an error, where the server says so.
    var staleIfError: Double?

    /// The longest lifetime of a response that states none: a tenth of the time since it was changed, a week at most.
    private static let longestGuess: Double = 7 * 86400

    /// The seconds by which a clock may have been set back before it says nothing about an age.
    private static let clockSlack: Double = 60

    init(status: Int, fields: [HTTPField], requested: Double, received: Double) {
        let control = CacheControl(fields.values(for: "cache-control"))
        let date = Self.date("date", fields)
        self.received = received
        lifetime = Self.lifetime(status: status, fields, control, made: date ?? received)
        let said = fields.values(for: "age").first.flatMap(HTTPCacheRules.statedAge) ?? 0
        let apparent = date.map { max(received - $0, 0) } ?? 0
        initialAge = max(apparent, said + max(received - requested, 0))
        validatesAlways = control.validatesAlways
        // A quoted list that cannot be read is safest taken for the whole response.
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

    private static func lifetime(
        status: Int, _ fields: [HTTPField], _ control: CacheControl, made: Double
    ) -> Double {
        if let maxAge = control.maxAge { return maxAge }
        let expiries = fields.values(for: "expires")
        if !expiries.isEmpty {
            // A value that is no date lies in the past (section 5.3), and so do several.
            guard expiries.count == 1, isHTTPDate(expiries[0]), let expires = date("expires", fields) else { return 0 }
            return max(expires - made, 0)
        }
        guard CacheRules.isHeuristicallyCacheable(status) || control.isPublic,
            let changed = date("last-modified", fields)
        else { return 0 }
        return min(max((made - changed) / 10, 0), longestGuess)
    }

    /// `true` if a text that reads as a date may be one of the three forms (RFC 9110 section 5.6.7): dates are read with more
    /// patience elsewhere, but what a cache cannot trust is stale.
    private static func isHTTPDate(_ text: String) -> Bool {
        let parts = text.split(separator: " ")
        // The form of asctime has neither a comma nor a zone.
        guard parts.count > 1, parts[0].hasSuffix(",") else { return true }
        // With dashes, a year has two digits.
        return parts.last == "GMT" && (!parts[1].contains("-") || parts[1].utf8.count == 9)
    }

    private static func date(_ name: String, _ fields: [HTTPField]) -> Double? {
        fields.values(for: name).first.flatMap { HTTPDate.date(from: $0) }?.timeIntervalSince1970
    }

    /// The seconds since the server made or validated the response; infinite where the clock was set back since.
    func age(at now: Double) -> Double {
        let resident = now - received
        return resident >= -Self.clockSlack ? initialAge + max(resident, 0) : .infinity
    }

    /// The seconds for which the response stays fresh; negative where it is stale.
    func timeToLive(at now: Double) -> Double { lifetime - age(at: now) }

    /// `true` if the response may stand for an error.
    ///
    /// - Parameter allowance: Seconds of staleness that the app allows where the server says nothing.
    func mayReplaceError(at now: Double, allowance: Double?) -> Bool {
        guard !forbidsStale, let allowed = staleIfError ?? allowance else { return false }
        return -timeToLive(at: now) <= allowed
    }

    /// `true` if the response may be used while it is validated.
    func mayBeUsedWhileValidated(at now: Double) -> Bool {
        !forbidsStale && staleWhileRevalidate > 0 && -timeToLive(at: now) <= staleWhileRevalidate
    }
}
