import Foundation
import MoyaTransport

/// A stored response as the answer, whole or as the first part.
extension CacheExchange {
    /// Answers with a stored response that a 304 has confirmed (RFC 9111 section 4.3.4).
    func confirm(_ hit: CacheHit, by fields: [HTTPField]) -> TransportDemand {
        let fresh = freshen(hit.response, by: fields)
        var status = CacheStatus(isHit: false, forward: plan.reason)
        status.forwardStatus = 304
        let isReusable = update != nil && fresh.freshness.answersSeveral(fresh.fields)
        if isReusable, shared == nil { cache.shared.record(isReusable: true, of: request.http.url) }
        return replace(with: hit.with(fresh), status, isReusable: isReusable)
    }

    /// Records the newer fields for a stored response, and returns the updated response.
    @discardableResult
    func freshen(_ stored: CachedResponse, by fields: [HTTPField]) -> CachedResponse {
        var merged = CacheRules.freshened(stored.fields, by: fields)
        // Without a date, a response was made when it arrived (RFC 9110 section 6.6.1).
        if !fields.contains("date") { merged.remove("date") }
        let age = fields.filter { ASCII.equalIgnoringCase($0.name, "age") }
        let fresh = CachedResponse(
            url: stored.url, status: stored.status, fields: merged + age, requested: requested, received: received,
            variants: CacheRules.variants(of: merged, for: request, fingerprint: cache.fingerprint),
            credential: stored.credential, part: stored.part, body: stored.body, handled: stored.handled,
            isUpdate: true)
        let isForbidden = CacheRules.forbidsStoring(
            status: stored.status, merged, CacheControl(merged.values(for: "cache-control")))
        // The request may forbid storing any part of its response (RFC 9111 section 5.2.1.5).
        let isUnrecorded = request.control?.noStore == true
        if isForbidden || fresh.key != stored.key && !isUnrecorded { cache.store.remove(stored) }
        // The fields may be about the user whose cookie was sent, and the stored response is also for others.
        if !isForbidden, !isUnrecorded, request.credential == stored.credential { update = fresh }
        return fresh
    }

    /// Answers with a stale stored response instead of an error (RFC 5861 section 4).
    ///
    /// - Parameter forwardStatus: The server's status; `nil` without a response.
    func replace(with hit: CacheHit, forwardStatus: Int?) -> TransportDemand {
        var status = cache.replacing(hit, plan)
        status.forwardStatus = forwardStatus
        return replace(with: hit, status)
    }

    /// Delivers the head of a stored response, whose body follows after the end of the exchange.
    ///
    /// - Parameter isReusable: `true` if the response is also for the callers that share the exchange.
    func replace(with hit: CacheHit, _ status: CacheStatus, isReusable: Bool = true) -> TransportDemand {
        var status = status
        status.timeToLive = hit.response.freshness.timeToLive(at: cache.now()).wholeSeconds
        course = .stored(hit)
        hasHead = true
        shared?.willReceiveHead(isReusable: isReusable)
        let before = withRelay { $0.resumptions }
        guard sink.receive(.head(hit.head(status, at: cache.now()))) == .wait else { return .more }
        withRelay { relay in
            // The caller may have caught up meanwhile, on another queue.
            if relay.resumptions == before { relay.isPaused = true }
        }
        return .more
    }

    /// Appends the rest of a response to its stored first part (RFC 9111 section 3.4).
    func complete(
        _ first: CachedResponse, _ head: TransportResponseHead, _ fields: [HTTPField]
    ) -> TransportDemand {
        guard head.status == 206, let rest = CacheRules.contentRange(of: fields), let part = first.part,
            rest.total == part.total, rest.bytes == part.bytes.upperBound..<part.total,
            fields.values(for: "etag").first == first.strongTag, case .memory(let data) = first.body
        else { return beginAgain() }
        var merged = CacheRules.freshened(first.fields, by: fields)
        merged.remove("content-range")
        merged.set("Content-Length", String(part.total))
        var status = CacheStatus(isHit: false, forward: plan.reason)
        status.forwardStatus = 206
        if CacheRules.mayStore(status: 200, merged, for: request) {
            store(status: 200, merged, part: nil)
            status.isStored = true
        } else {
            cache.store.remove(first)
        }
        share(status: 200, merged)
        missing = rest.bytes.length
        hasHead = true
        let demand = sink.receive(
            .head(TransportResponseHead(status: 200, version: head.version, fields: status.added(to: merged))))
        data.withUnsafeBytes { write($0) }
        guard demand == .more else {
            heldPart = data
            return .wait
        }
        return data.isEmpty ? .more : data.withUnsafeBytes { sink.receive(.chunk($0)) }
    }

    /// Delivers the body of a stored response whose head has been delivered.
    func deliverBody(of hit: CacheHit, _ end: TransportEnd) {
        let delivery = StoredBodyDelivery(
            hit, end: TransportEnd(metrics: end.metrics), of: request, over: inner, cache: cache, to: sink)
        relay { delivery }
        delivery.start()
    }
}
