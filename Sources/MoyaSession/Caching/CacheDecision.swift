package import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// What is done with a request, given what is kept.
package enum CacheDecision: Sendable {
    /// Answer with this and ask nobody.
    case use(StoredResponse)
    /// Send the request with these fields added; a 304 means that the response is still good.
    case validate(StoredResponse, [HTTPField])
    /// Send the request, with these fields added.
    case load([HTTPField])
    /// Send nothing: what is wanted of the cache is not there.
    case refuse
}

extension HTTPCacheRules {
    /// Whether a request is any business of a cache, which one that asks for a part or brings a condition is not.
    package static func isCacheable(_ request: TransportRequest) -> Bool {
        request.method == "GET"
            && !request.fields.contains { field in
                bypassing.contains { ASCII.equalIgnoringCase(field.name, $0) }
            }
    }

    private static let bypassing = [
        "range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range",
    ]

    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - stored: What is kept under the request's URL.
    ///   - policy: The request's, or the session's where that is the default.
    package static func decide(
        on request: TransportRequest, policy: URLRequest.CachePolicy, stored: StoredResponse?, at now: Date
    ) -> CacheDecision {
        let stored = stored.flatMap { matches($0, request) ? $0 : nil }
        switch policy {
        case .reloadIgnoringLocalCacheData: return .load([])
        case .reloadIgnoringLocalAndRemoteCacheData: return .load(fieldsPastCaches(request))
        case .returnCacheDataElseLoad: return stored.map { .use(aged($0, at: now)) } ?? .load([])
        case .returnCacheDataDontLoad: return stored.map { .use(aged($0, at: now)) } ?? .refuse
        case .reloadRevalidatingCacheData: return stored.map(ask) ?? .load([])
        case .useProtocolCachePolicy: break
        @unknown default: break
        }
        let wanted = CacheControl(request: request.fields)
        if let stored, isFresh(stored, for: request, at: now) { return .use(aged(stored, at: now)) }
        if wanted.onlyIfCached { return .refuse }
        return stored.map(ask) ?? .load([])
    }

    private static func ask(_ stored: StoredResponse) -> CacheDecision {
        let conditions = conditions(for: stored)
        return conditions.isEmpty ? .load([]) : .validate(stored, conditions)
    }

    /// What tells caches on the way to let a request through, for those that are old as well.
    private static func fieldsPastCaches(_ request: TransportRequest) -> [HTTPField] {
        guard !request.fields.contains("cache-control") else { return [] }
        return [HTTPField(name: "Cache-Control", value: "no-cache"), HTTPField(name: "Pragma", value: "no-cache")]
    }

    /// The response with its age told, as an answer out of a cache has it (RFC 9111 section 5.1).
    private static func aged(_ stored: StoredResponse, at now: Date) -> StoredResponse {
        let age = age(of: stored, at: now)
        guard age.isFinite else { return stored }
        var told = stored
        let fields = stored.head.fields.filter { !ASCII.equalIgnoringCase($0.name, "age") }
        told.head = TransportResponseHead(
            status: stored.head.status,
            fields: fields + [HTTPField(name: "Age", value: "\(Int(min(age, 2_147_483_648)))")])
        return told
    }
}
