import MoyaTransport

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The part that a session's ``HTTPCache`` had in a response, as the `Cache-Status` field states it (RFC 9211).
///
/// The cache adds its member, named `Moya`, to the end of the field, so it is there for plugins, monitors and logs as well.
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
    /// The reason that a request went to the network (RFC 9211 section 2.2).
    public enum Forward: String, Sendable, Hashable, CaseIterable {
        /// The request is one that the cache does not handle.
        case bypass
        /// The method requires it.
        case method
        /// Nothing is stored for the URL.
        case uriMiss = "uri-miss"
        /// Responses are stored for the URL, and none for the fields and the credential of the request.
        case varyMiss = "vary-miss"
        /// The request asks for a newer response than the stored one.
        case request
        /// The stored response is stale.
        case stale
        /// A part of the response is stored, and the request needs more.
        case partial
    }

    /// A short form of the status.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// A stored response that is fresh.
        case hit
        /// A stored response that is stale.
        case stale
        /// A stored response that the server confirmed with a 304.
        case revalidated
        /// A response from the network.
        case miss
    }

    /// `true` if the response was stored and no request was sent for it.
    public internal(set) var isHit: Bool
    /// The reason that a request was sent; `nil` for a hit.
    public internal(set) var forward: Forward?
    /// The status code of the server's response, where it differs from that of the response or is a 304.
    public internal(set) var forwardStatus: Int?
    /// The seconds for which the response stays fresh; negative where it is stale.
    public internal(set) var timeToLive: Int?
    /// `true` if the response was stored.
    public internal(set) var isStored = false
    /// `true` if an equal request that was under way gave the response.
    public internal(set) var isCollapsed = false
    /// An addition for people: `stale-while-revalidate`, `stale-if-error`, `max-stale`.
    public internal(set) var detail: String?

    /// Makes the status of a hit or of a forwarded request.
    public init(isHit: Bool, forward: Forward? = nil) {
        self.isHit = isHit
        self.forward = forward
    }

    static let staleIfError = "stale-if-error"

    /// The status in a word.
    public var outcome: Outcome {
        if isHit { return (timeToLive ?? 0) < 0 ? .stale : .hit }
        if detail == Self.staleIfError { return .stale }
        return forwardStatus == 304 ? .revalidated : .miss
    }

    /// The member of the `Cache-Status` field, such as `Moya; fwd=stale; fwd-status=304; ttl=60`.
    public var description: String {
        var text = "Moya"
        if isHit { text += "; hit" }
        if let forward { text += "; fwd=\(forward.rawValue)" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if let timeToLive { text += "; ttl=\(timeToLive)" }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let detail { text += "; detail=\(detail)" }
        return text
    }

    /// Reads the last member of a `Cache-Status` field, where it is that of an ``HTTPCache``.
    ///
    /// - Parameter value: The value of the field, or the values of several, joined with commas.
    /// - Returns: `nil` where the last member is that of another cache.
    public init?(fieldValue value: String) {
        let member = value.split(separator: ",").last ?? ""
        let parts = member.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.first == "Moya" else { return nil }
        self.init(isHit: false)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            switch pair.first {
            case "hit": isHit = true
            case "fwd": forward = Forward(rawValue: pair.last ?? "")
            case "fwd-status": forwardStatus = pair.last.flatMap { Int($0) }
            case "ttl": timeToLive = pair.last.flatMap { Int($0) }
            case "stored": isStored = true
            case "collapsed": isCollapsed = true
            case "detail": detail = pair.last
            default: break
            }
        }
    }
}

extension CacheStatus {
    /// The name of the field.
    static let fieldName = "Cache-Status"

    /// The fields with this status, after the statuses of caches on the way.
    func added(to fields: [HTTPField]) -> [HTTPField] {
        fields + [HTTPField(name: Self.fieldName, value: description)]
    }
}

extension HTTPURLResponse {
    /// The part that the session's ``HTTPCache`` had in the response; `nil` without one.
    public var cacheStatus: CacheStatus? {
        value(forHTTPHeaderField: CacheStatus.fieldName).flatMap { CacheStatus(fieldValue: $0) }
    }
}
