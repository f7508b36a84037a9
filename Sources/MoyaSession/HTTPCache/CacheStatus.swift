import MoyaTransport

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The use of a session's ``HTTPCache`` for a response, as in the `Cache-Status` field (RFC 9211).
///
/// The cache appends its member, named `Moya`, to the field, which plugins, monitors and logs can read as well.
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
    /// The reason for sending a request to the network (RFC 9211 section 2.2).
    public enum Forward: String, Sendable, Hashable, CaseIterable {
        /// The cache does not handle the request.
        case bypass
        /// The method requires it.
        case method
        /// Nothing is stored for the URL.
        case uriMiss = "uri-miss"
        /// The stored responses for the URL do not match the fields or the credential of the request.
        case varyMiss = "vary-miss"
        /// The request requires a newer response than the stored one.
        case request
        /// The stored response is stale.
        case stale
        /// A part of the response is stored, and the request needs more.
        case partial
    }

    /// A short form of the status.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// A fresh stored response.
        case hit
        /// A stale stored response.
        case stale
        /// A stored response that the server confirmed with a 304.
        case revalidated
        /// A response from the network.
        case miss
    }

    /// `true` if the response was stored and no request was sent.
    public internal(set) var isHit: Bool
    /// The reason for sending a request; `nil` for a hit.
    public internal(set) var forward: Forward?
    /// The status code of the server's response, if it differs from that of the response or is a 304.
    public internal(set) var forwardStatus: Int?
    /// The remaining seconds of freshness; negative if the response is stale.
    public internal(set) var timeToLive: Int?
    /// `true` if the response was stored.
    public internal(set) var isStored = false
    /// `true` if the response came from an equal request in flight.
    public internal(set) var isCollapsed = false
    /// A detail: `stale-while-revalidate`, `stale-if-error`, `max-stale`, `offline` for a stale response used without a
    /// request, since there is no network, or `only-if-cached` for the 504 of a request that allows no other answer.
    public internal(set) var detail: String?

    /// Makes the status of a hit or of a forwarded request.
    public init(isHit: Bool, forward: Forward? = nil) {
        self.isHit = isHit
        self.forward = forward
    }

    static let staleIfError = "stale-if-error"
    static let offline = "offline"
    package static let onlyIfCached = "only-if-cached"

    /// `true` if the cache has the response, and would answer with it again.
    package var isInCache: Bool { isHit || isStored }

    /// The status in short form.
    public var outcome: Outcome {
        if isHit { return (timeToLive ?? 0) < 0 ? .stale : .hit }
        if detail == Self.staleIfError { return .stale }
        return forwardStatus == 304 ? .revalidated : .miss
    }

    /// The member of the `Cache-Status` field, such as `Moya; fwd=stale; fwd-status=304; ttl=60`.
    public var description: String {
        var text = isHit ? "Moya; hit" : "Moya"
        func append(_ name: String, _ value: String) {
            text += name
            text += value
        }
        if let forward { append("; fwd=", forward.rawValue) }
        if let forwardStatus { append("; fwd-status=", String(forwardStatus)) }
        if let timeToLive { append("; ttl=", String(timeToLive)) }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let detail { append("; detail=", detail) }
        return text
    }

    /// Parses the last member of a `Cache-Status` field, if an ``HTTPCache`` wrote it.
    ///
    /// - Parameter value: The value of the field, or several values joined with commas.
    /// - Returns: `nil` if another cache wrote the last member.
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

    /// The fields with this status, after the statuses of caches between server and client.
    func added(to fields: [HTTPField]) -> [HTTPField] { fields + [field] }

    /// The field with only this status.
    var field: HTTPField { HTTPField(name: Self.fieldName, value: description) }
}

extension TransportResponseHead {
    /// The use of an ``HTTPCache`` for the response; `nil` if another cache, or none, wrote it.
    package var cacheStatus: CacheStatus? {
        values(for: "cache-status").last.flatMap { CacheStatus(fieldValue: $0) }
    }
}

extension HTTPURLResponse {
    /// The use of an ``HTTPCache`` for the response, by the last member of its `Cache-Status` field; `nil` if another
    /// cache, or none, wrote it.
    ///
    /// A session without a cache passes on the field of the server, which may itself use an ``HTTPCache``.
    public var cacheStatus: CacheStatus? {
        value(forHTTPHeaderField: CacheStatus.fieldName).flatMap { CacheStatus(fieldValue: $0) }
    }
}
