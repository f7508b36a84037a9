import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// A cache's decision on a request.
enum CachePlan: Sendable {
    /// Answer with a stored response.
    case serve(CacheHit, CacheStatus)
    /// Answer with a stale stored response, and validate it for later requests.
    case serveAndRevalidate(CacheHit, CacheStatus)
    /// Send the request, with additional fields.
    case forward(CacheForward)
    /// Fail: only the cache may answer the request.
    case refuse
    /// Answer with a 504, as `only-if-cached` requires (RFC 9111 section 5.2.1.7).
    case gatewayTimeout
}

/// A stored response that answers a request.
struct CacheHit: Sendable {
    let response: CachedResponse
    /// The bytes of the stored body to deliver; `nil` for all of them.
    var bytes: Range<Int64>?
    /// `true` if only the head is requested.
    var isHeadOnly = false
    /// The body, once ``open()`` has verified its first bytes.
    fileprivate(set) var opened: OpenedBody?
    /// `true` if the body may be readable later.
    private(set) var isUnreadable = false

    /// The bytes of the stored body that the caller gets.
    var delivered: Range<Int64> { isHeadOnly ? 0..<0 : bytes ?? 0..<response.body.count }

    /// Opens the file of the body, before any delivery.
    ///
    /// - Returns: `false` if the body cannot be read, since it was damaged or removed.
    mutating func open() -> Bool {
        guard !isHeadOnly, opened == nil else { return true }
        switch response.body {
        case .memory(let data): opened = .memory(data)
        case .file(let file):
            if let recent = file.recent {
                opened = .memory(recent)
                return true
            }
            do throws(CacheFileFault) {
                opened = .file(try file.reader(of: delivered))
            } catch {
                isUnreadable = error == .unreadable
            }
        }
        return opened != nil
    }
}

/// A request to the network.
struct CacheForward: Sendable {
    let reason: CacheStatus.Forward
    var fields: [HTTPField] = []
    /// The stored response that a 304 confirms, and that may replace an error.
    var stored: CacheHit?
    /// The first part of the response, if only the rest is requested.
    var firstPart: CachedResponse?
}

extension HTTPCache {
    /// Decides on a request for a representation (`GET`, `HEAD`).
    func plan(for request: CacheRequest, policy: URLRequest.CachePolicy) -> CachePlan {
        switch policy {
        case .reloadIgnoringLocalCacheData: return .forward(CacheForward(reason: .request))
        case .reloadIgnoringLocalAndRemoteCacheData:
            let fields = [
                HTTPField(name: "Cache-Control", value: "no-cache"), HTTPField(name: "Pragma", value: "no-cache"),
            ]
            let isSaid = request.http.fields.contains("cache-control")
            return .forward(CacheForward(reason: .request, fields: isSaid ? [] : fields))
        default: break
        }
        guard !request.isBypassed, !request.isConditional else {
            return missing(request, policy, .bypass)
        }
        let stored = responses(for: request.http.url)
        guard let response = newest(of: stored, for: request) else {
            return missing(request, policy, stored.isEmpty ? .uriMiss : .varyMiss)
        }
        guard let hit = Self.hit(response, for: request) else {
            if policy == .returnCacheDataDontLoad || policy == .returnCacheDataElseLoad
                || request.control?.onlyIfCached == true
            {
                return missing(request, policy, .partial)
            }
            return .forward(completing(response, request))
        }
        return plan(for: request, policy: policy, hit: hit)
    }

    /// The most recent of the responses that match a request (RFC 9111 section 4).
    private func newest(of stored: [CachedResponse], for request: CacheRequest) -> CachedResponse? {
        var newest: CachedResponse?
        var values = CacheVariantValues(of: request)
        for response in stored where response.freshness.made >= newest?.freshness.made ?? -.infinity {
            if CacheRules.matches(response, request, &values, fingerprint: fingerprint) { newest = response }
        }
        return newest
    }

    /// The stored response that matches a request.
    func response(for request: CacheRequest) -> CachedResponse? {
        newest(of: responses(for: request.http.url), for: request)
    }

    /// The stored responses that answer a URL, also those of other queries.
    func responses(for url: String) -> [CachedResponse] {
        let path = NoVarySearch.path(of: url)
        let stored = store.responses(for: url)
        let others = path.endIndex == url.endIndex ? [] : store.responses(for: String(path))
        let found = others.isEmpty ? stored : stored + others
        var compared = ComparedURL(url)
        return found.allSatisfy { $0.answers(&compared) } ? found : found.filter { $0.answers(&compared) }
    }

    private func missing(
        _ request: CacheRequest, _ policy: URLRequest.CachePolicy, _ reason: CacheStatus.Forward
    ) -> CachePlan {
        if policy == .returnCacheDataDontLoad { return .refuse }
        if request.control?.onlyIfCached == true { return .gatewayTimeout }
        return .forward(CacheForward(reason: reason))
    }

    private func plan(for request: CacheRequest, policy: URLRequest.CachePolicy, hit: CacheHit) -> CachePlan {
        let now = now()
        let freshness = hit.response.freshness
        let timeToLive = freshness.timeToLive(at: now)
        var status = CacheStatus(isHit: true)
        status.timeToLive = timeToLive.wholeSeconds
        switch policy {
        case .returnCacheDataDontLoad, .returnCacheDataElseLoad: return .serve(hit, status)
        case .reloadRevalidatingCacheData: return .forward(validating(hit, .request))
        default: break
        }
        let control = request.control
        let isFresh = timeToLive > 0 && !freshness.validatesAlways
        if isFresh, Self.accepts(freshness, control, timeToLive: timeToLive, at: now) { return .serve(hit, status) }
        if let allowance = control?.maxStale, control?.minFresh == nil, control?.noCache != true,
            !freshness.forbidsStale, -timeToLive <= allowance,
            freshness.age(at: now) <= (control?.maxAge ?? .infinity) + allowance
        {
            status.detail = "max-stale"
            return .serve(hit, status)
        }
        if control?.onlyIfCached == true { return .gatewayTimeout }
        if control == nil, !isFresh, freshness.mayBeUsedWhileValidated(at: now) {
            status.detail = "stale-while-revalidate"
            return .serveAndRevalidate(hit, status)
        }
        return .forward(validating(hit, isFresh ? .request : .stale))
    }

    /// The plan without a network: a stale response replaces the error of a request.
    func offline(_ plan: CachePlan, for request: CacheRequest) -> CachePlan {
        switch plan {
        case .serve, .refuse, .gatewayTimeout: return plan
        case .serveAndRevalidate(let hit, let status): return .serve(hit, status)
        case .forward(let forward):
            guard let hit = forward.stored, mayReplaceError(hit, for: request) else { return .refuse }
            var status = CacheStatus(isHit: true)
            status.timeToLive = hit.response.freshness.timeToLive(at: now()).wholeSeconds
            status.detail = CacheStatus.offline
            return .serve(hit, status)
        }
    }

    /// `true` if a stored response may replace an error.
    func mayReplaceError(_ hit: CacheHit, for request: CacheRequest) -> Bool {
        guard request.control?.noCache != true else { return false }
        return hit.response.freshness.mayReplaceError(at: now(), allowance: staleIfError)
    }

    /// The status of a stored response that replaces an error.
    func replacing(_ hit: CacheHit, _ plan: CacheForward) -> CacheStatus {
        var status = CacheStatus(isHit: false, forward: plan.reason)
        status.timeToLive = hit.response.freshness.timeToLive(at: now()).wholeSeconds
        status.detail = CacheStatus.staleIfError
        return status
    }

    /// `true` if there are stored responses that a request may use.
    package func mayAnswer(_ request: URLRequest) -> Bool {
        guard request.httpMethod == "GET" || request.httpMethod == "HEAD", let url = request.url else { return false }
        return !responses(for: CacheKey.normalized(url.bareText)).isEmpty
    }

    /// The request for a response whose stored body is unusable.
    func forgetting(_ hit: CacheHit) -> CacheForward {
        if !hit.isUnreadable { store.remove(hit.response) }
        return CacheForward(reason: .uriMiss)
    }

    /// `true` if a fresh response satisfies the directives of a request (RFC 9111 section 5.2.1).
    private static func accepts(
        _ freshness: CacheFreshness, _ control: CacheControl?, timeToLive: Double, at now: Double
    ) -> Bool {
        guard let control else { return true }
        if control.noCache || control.noStore { return false }
        // An immutable response is not reloaded while it is fresh (RFC 8246 section 2).
        if let limit = control.maxAge, freshness.age(at: now) >= limit, !freshness.isImmutable { return false }
        return timeToLive > control.minFresh ?? 0
    }

    /// The stored response's answer to a request; `nil` if it lacks requested bytes.
    private static func hit(_ response: CachedResponse, for request: CacheRequest) -> CacheHit? {
        if request.isHEAD { return response.part == nil ? CacheHit(response: response, isHeadOnly: true) : nil }
        guard let range = request.range else { return response.part == nil ? CacheHit(response: response) : nil }
        guard response.status == 200 || response.status == 206, !response.isCoded else { return nil }
        let part = response.part ?? ContentRange(bytes: 0..<response.body.count, total: response.body.count)
        guard let wanted = range.bytes(of: part.total), part.bytes.contains(wanted.lowerBound),
            wanted.upperBound <= part.bytes.upperBound
        else { return nil }
        let first = wanted.lowerBound - part.bytes.lowerBound
        guard first + wanted.length <= response.body.count else { return nil }
        return CacheHit(response: response, bytes: first..<first + wanted.length)
    }

    private func validating(_ hit: CacheHit, _ reason: CacheStatus.Forward) -> CacheForward {
        CacheForward(reason: reason, fields: CacheRules.conditions(for: hit.response), stored: hit)
    }

    /// The request for the rest of a response whose first part is stored.
    private func completing(_ response: CachedResponse, _ request: CacheRequest) -> CacheForward {
        guard request.isGET, request.range == nil, let part = response.part, part.bytes.lowerBound == 0,
            let tag = response.strongTag
        else { return CacheForward(reason: .partial) }
        let fields = [
            HTTPField(name: "Range", value: "bytes=\(part.bytes.upperBound)-"), HTTPField(name: "If-Range", value: tag),
        ]
        // The first part is delivered at once.
        guard case .memory = response.body else { return CacheForward(reason: .partial) }
        return CacheForward(reason: .partial, fields: fields, firstPart: response)
    }
}

extension CacheHit {
    /// The same bytes of a response with newer fields.
    func with(_ fresh: CachedResponse) -> CacheHit {
        CacheHit(response: fresh, bytes: bytes, isHeadOnly: isHeadOnly, opened: opened)
    }

    /// The head of the answer, with its age (RFC 9111 section 5.1) and the cache status.
    func head(_ status: CacheStatus, at now: Double) -> TransportResponseHead {
        var fields: [HTTPField] = []
        // The fields of a part, the age and the status follow.
        fields.reserveCapacity(response.fields.count + 4)
        fields += response.fields
        var code = response.status
        if let bytes {
            let part = response.part
            let first = (part?.bytes.lowerBound ?? 0) + bytes.lowerBound
            let range = ContentRange(
                bytes: first..<first + bytes.length, total: part?.total ?? response.body.count)
            code = 206
            fields.set("Content-Range", range.fieldValue)
            fields.set("Content-Length", String(bytes.length))
        }
        fields.append(HTTPField(name: "Age", value: String(response.freshness.age(at: now).wholeSeconds)))
        fields.append(status.field)
        return TransportResponseHead(status: code, fields: fields)
    }
}

extension Double {
    /// The number rounded down, so that a response that just became stale has a negative value, within the 2^31 seconds
    /// of an age (RFC 9111 section 1.2.2).
    var wholeSeconds: Int {
        guard !isNaN else { return 0 }
        let seconds = Int64(Swift.min(Swift.max(self, -2_147_483_648), 2_147_483_648).rounded(.down))
        // One second less where `Int` has 32 bits.
        return Int(clamping: seconds)
    }
}
