package import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The treatment of a request, given the stored responses.
package enum CacheDecision: Sendable {
    /// Answer with this, without a request.
    case use(StoredResponse)
    /// Send the request with these fields added; a 304 means that the response is still good.
    case validate(StoredResponse, [HTTPField])
    /// Send the request, with these fields added.
    case load([HTTPField])
    /// Send nothing: what is wanted of the cache is not there.
    case refuse
}

extension HTTPCacheRules {
    /// `true` if a cache may handle a request; one for a part, or with a condition, it may not.
    package static func isCacheable(_ request: HTTPRequest) -> Bool {
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
    ///   - stored: The response stored under the request's URL.
    ///   - policy: The request's, or the session's where that is the default.
    package static func decide(
        on request: HTTPRequest, policy: URLRequest.CachePolicy, stored: StoredResponse?, at now: Date
    ) -> CacheDecision {
        let stored = stored.flatMap { matches($0, request) ? $0 : nil }
        switch policy {
        case .reloadIgnoringLocalCacheData: return .load([])
        case .reloadIgnoringLocalAndRemoteCacheData: return .load(fieldsPastCaches(request))
        case .returnCacheDataElseLoad: return stored.map { .use(aged($0, at: now)) } ?? .load([])
        case .returnCacheDataDontLoad: return stored.map { .use(aged($0, at: now)) } ?? .refuse
        case .reloadRevalidatingCacheData: return stored.map(revalidate) ?? .load([])
        case .useProtocolCachePolicy: break
        @unknown default: break
        }
        let wanted = CacheControl(request: request.fields)
        if let stored, isFresh(stored, for: request, at: now) { return .use(aged(stored, at: now)) }
        if wanted.onlyIfCached { return .refuse }
        return stored.map(revalidate) ?? .load([])
    }

    private static func revalidate(_ stored: StoredResponse) -> CacheDecision {
        let conditions = conditions(for: stored)
        return conditions.isEmpty ? .load([]) : .validate(stored, conditions)
    }

    /// Header fields that make caches on the way, old ones included, let a request through.
    private static func fieldsPastCaches(_ request: HTTPRequest) -> [HTTPField] {
        guard !request.fields.contains("cache-control") else { return [] }
        return [HTTPField(name: "Cache-Control", value: "no-cache"), HTTPField(name: "Pragma", value: "no-cache")]
    }

    /// The response with its age, as an answer out of a cache has it (RFC 9111 section 5.1).
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
