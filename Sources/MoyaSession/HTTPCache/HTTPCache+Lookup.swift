import Foundation
import MoyaTransport

/// The answer of a cache to a request.
enum CachePlan: Sendable {
    /// Answer with a stored response.
    case serve(CacheHit, CacheStatus)
    /// Answer with a stored response that is stale, and validate it for later requests.
    case serveAndRevalidate(CacheHit, CacheStatus)
    /// Send the request, with these fields added.
    case forward(CacheForward)
    /// Fail: the request is to be answered out of the cache, or not at all.
    case refuse
    /// Answer with a 504, as `only-if-cached` requires (RFC 9111 section 5.2.1.7).
    case gatewayTimeout
}

/// A stored response as an answer.
struct CacheHit: Sendable {
    let response: CachedResponse
    /// The bytes of the stored body that are the answer; `nil` for all of them.
    var bytes: Range<Int64>?
    /// `true` if only the head is wanted.
    var isHeadOnly = false
    /// The file of the body and the first bytes out of it, once ``open()`` has found them whole.
    fileprivate(set) var opened: (reader: CachedBodyReader, block: Data)?

    init(response: CachedResponse, bytes: Range<Int64>? = nil, isHeadOnly: Bool = false) {
        self.response = response
        self.bytes = bytes
        self.isHeadOnly = isHeadOnly
    }

    /// Opens the file of the body, before anything is delivered of it.
    ///
    /// - Returns: `false` where the body cannot be read, since it was damaged or removed.
    mutating func open() -> Bool {
        guard case .file(let file) = response.body, !isHeadOnly, opened == nil else { return true }
        guard let reader = file.reader(from: bytes?.lowerBound ?? 0), let block = reader.next() else { return false }
        opened = (reader, block)
        return true
    }
}

/// A request that goes to the network.
struct CacheForward: Sendable {
    let reason: CacheStatus.Forward
    var fields: [HTTPField] = []
    /// The stored response that a 304 confirms, and that may stand for an error.
    var stored: CacheHit?
    /// The first part of the response, of which the rest is requested.
    var firstPart: CachedResponse?
}

extension HTTPCache {
    /// Decides on a request for a representation (`GET`, `HEAD`).
    func plan(for request: CacheRequest, mode: CacheMode) -> CachePlan {
        switch mode {
        case .reload: return .forward(CacheForward(reason: .request))
        case .reloadPastCaches:
            let fields = [
                HTTPField(name: "Cache-Control", value: "no-cache"), HTTPField(name: "Pragma", value: "no-cache"),
            ]
            let isSaid = request.http.fields.contains("cache-control")
            return .forward(CacheForward(reason: .request, fields: isSaid ? [] : fields))
        default: break
        }
        guard !request.isBypassed, !request.isConditional else {
            return mode == .storedOnly ? .refuse : .forward(CacheForward(reason: .bypass))
        }
        let stored = store.responses(for: request.http.url)
        guard let response = stored.last(where: { CacheRules.matches($0, request, fingerprint: fingerprint) }) else {
            return missing(request, mode, stored.isEmpty ? .uriMiss : .varyMiss)
        }
        guard let hit = Self.hit(response, for: request) else {
            if mode == .storedOnly || mode == .storedElseLoad || request.control?.onlyIfCached == true {
                return missing(request, mode, .partial)
            }
            return .forward(completing(response, request))
        }
        return plan(for: request, mode: mode, hit: hit)
    }

    private func missing(_ request: CacheRequest, _ mode: CacheMode, _ reason: CacheStatus.Forward) -> CachePlan {
        if mode == .storedOnly { return .refuse }
        if request.control?.onlyIfCached == true { return .gatewayTimeout }
        return .forward(CacheForward(reason: reason))
    }

    private func plan(for request: CacheRequest, mode: CacheMode, hit: CacheHit) -> CachePlan {
        let now = now()
        let freshness = hit.response.freshness
        let timeToLive = freshness.timeToLive(at: now)
        var status = CacheStatus(isHit: true)
        status.timeToLive = timeToLive.wholeSeconds
        switch mode {
        case .storedOnly, .storedElseLoad: return .serve(hit, status)
        case .revalidate: return .forward(validating(hit, .request))
        default: break
        }
        let control = request.control
        let isFresh = timeToLive > 0 && !freshness.validatesAlways
        if isFresh, Self.accepts(freshness, control, timeToLive: timeToLive, at: now) { return .serve(hit, status) }
        if let allowance = control?.maxStale, control?.minFresh == nil, control?.noCache != true,
            !freshness.forbidsStale, -timeToLive <= allowance
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

    /// The request for a response whose stored body is of no use.
    func forgetting(_ hit: CacheHit) -> CacheForward {
        store.remove(hit.response)
        return CacheForward(reason: .uriMiss)
    }

    /// `true` if a fresh response is fresh enough for the directives of a request (RFC 9111 section 5.2.1).
    private static func accepts(
        _ freshness: CacheFreshness, _ control: CacheControl?, timeToLive: Double, at now: Double
    ) -> Bool {
        guard let control else { return true }
        if control.noCache || control.noStore { return false }
        // An immutable response is not reloaded while it is fresh (RFC 8246 section 2).
        if let limit = control.maxAge, freshness.age(at: now) >= limit, !freshness.isImmutable { return false }
        return timeToLive > control.minFresh ?? 0
    }

    /// The answer that a stored response gives to a request; `nil` where it lacks bytes that the request wants.
    private static func hit(_ response: CachedResponse, for request: CacheRequest) -> CacheHit? {
        if request.isHEAD { return response.part == nil ? CacheHit(response: response, isHeadOnly: true) : nil }
        guard let range = request.range else { return response.part == nil ? CacheHit(response: response) : nil }
        guard response.status == 200 || response.status == 206, !response.isCoded else { return nil }
        let part = response.part ?? ContentRange(bytes: 0..<response.body.count, total: response.body.count)
        guard let wanted = range.bytes(of: part.total), part.bytes.contains(wanted.lowerBound),
            wanted.upperBound <= part.bytes.upperBound
        else { return nil }
        let first = wanted.lowerBound - part.bytes.lowerBound
        guard first + Int64(wanted.count) <= response.body.count else { return nil }
        return CacheHit(response: response, bytes: first..<first + Int64(wanted.count))
    }

    private func validating(_ hit: CacheHit, _ reason: CacheStatus.Forward) -> CacheForward {
        CacheForward(reason: reason, fields: CacheRules.conditions(for: hit.response), stored: hit)
    }

    /// The request for what is missing of a response whose first part is stored.
    private func completing(_ response: CachedResponse, _ request: CacheRequest) -> CacheForward {
        guard request.isGET, request.range == nil, let part = response.part, part.bytes.lowerBound == 0,
            let tag = response.strongTag
        else { return CacheForward(reason: .partial) }
        let fields = [
            HTTPField(name: "Range", value: "bytes=\(part.bytes.upperBound)-"), HTTPField(name: "If-Range", value: tag),
        ]
        // The first part is delivered in one go.
        guard case .memory = response.body else { return CacheForward(reason: .partial) }
        return CacheForward(reason: .partial, fields: fields, firstPart: response)
    }
}

extension CacheHit {
    /// The same bytes of a response whose fields are newer.
    func with(_ fresh: CachedResponse) -> CacheHit {
        var hit = CacheHit(response: fresh, bytes: bytes, isHeadOnly: isHeadOnly)
        hit.opened = opened
        return hit
    }

    /// The head of the answer, with its age (RFC 9111 section 5.1) and the part of the cache in it.
    func head(_ status: CacheStatus, at now: Double) -> TransportResponseHead {
        var fields = response.fields
        var code = response.status
        if let bytes {
            let part = response.part
            let first = (part?.bytes.lowerBound ?? 0) + bytes.lowerBound
            let range = ContentRange(
                bytes: first..<first + Int64(bytes.count), total: part?.total ?? response.body.count)
            code = 206
            fields.set("Content-Range", range.fieldValue)
            fields.set("Content-Length", String(bytes.count))
        }
        fields.append(HTTPField(name: "Age", value: String(response.freshness.age(at: now).wholeSeconds)))
        return TransportResponseHead(status: code, fields: status.added(to: fields))
    }
}

extension Double {
    /// The number without its fraction, within the 2^31 seconds that an age may have (RFC 9111 section 1.2.2).
    var wholeSeconds: Int { isNaN ? 0 : Int(Swift.min(Swift.max(self, -2_147_483_648), 2_147_483_648)) }
}
