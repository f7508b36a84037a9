import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPCache {
    /// Removes the responses of a URL, including those in transit, so that later requests are sent.
    func invalidate(_ url: String) {
        invalidations.add(url)
        shared.closeAll(of: url)
        forget(url)
    }

    /// Removes the responses of an origin, including those in transit.
    func invalidate(origin: String) {
        invalidations.add(origin)
        shared.closeAll { CacheRules.origin(of: $0) == origin }
        store.removeAll(ofOrigin: origin)
    }

    /// Removes the stored responses of a URL.
    func forget(_ url: String) {
        store.removeAll(for: url)
        for response in responses(for: url) { store.remove(response) }
    }

    /// Stores a response, unless a newer one for the same requests is stored; a part is joined with a stored part of the
    /// same resource.
    func keep(_ response: CachedResponse) {
        // A handler may have changed the body.
        if let part = response.part, part.bytes.length != response.body.count { return response.body.discard() }
        guard let other = stored(like: response) else { return store.insert(response) }
        // Parts of one version complete each other in any order (RFC 9111 section 3.4).
        let isOfOneVersion = response.strongTag != nil && response.strongTag == other.strongTag
        if isOfOneVersion, response.part != nil || other.part != nil { return join(response, with: other) }
        isNewer(other, than: response) ? response.body.discard() : store.insert(response)
    }

    /// The maximum number of stored bytes that are copied for each new one, beyond ``mostCopied``.
    private static let mostCopiedForEach: Int64 = 8

    /// The number of stored bytes that are copied for a new part of any length.
    private static let mostCopied: Int64 = 1 << 20

    /// Joins a part with a stored one: continues its file, or copies both.
    ///
    /// Copying a long part for each of many short ones would take quadratic time: the stored part then stays as it is.
    private func join(_ response: CachedResponse, with other: CachedResponse) {
        guard let part = response.part else { return store.insert(response) }
        guard let otherPart = other.part else {
            // The whole resource is stored.
            return response.body.discard()
        }
        guard let range = part.joined(with: otherPart) else { return store.insert(response) }
        let isOnlyForMemory = response.isOnlyForMemory || other.isOnlyForMemory
        var continued: FileBodyWriter?
        if !isOnlyForMemory, otherPart.bytes.lowerBound < part.bytes.lowerBound, case .file(let file) = other.body {
            continued = FileBodyWriter(continuing: file, limit: store.longestBody)
        }
        let copied = range.bytes.length - part.bytes.length
        if continued == nil, copied > Self.mostCopied, copied / Self.mostCopiedForEach > part.bytes.length {
            return response.body.discard()
        }
        let writer: any CachedBodyWriter =
            isOnlyForMemory
            ? MemoryBodyWriter(limit: min(store.longestBody, CacheExchange.longestProposal))
            : continued ?? store.makeBody()
        let joined = response.joined(with: other, as: range, writer: writer, isContinued: continued != nil)
        guard let joined else { return store.insert(response) }
        response.body.discard()
        store.insert(joined)
    }

    /// Stores a response with newer fields, unless a newer one for the same requests is stored, which has another body.
    func keep(update: CachedResponse) {
        if let other = stored(like: update), isNewer(other, than: update) { return }
        store.insert(update)
    }

    private func stored(like response: CachedResponse) -> CachedResponse? {
        store.responses(for: response.key).last { $0.isSameVariant(as: response) }
    }

    /// `true` if a response was requested after another one had arrived (RFC 9111 section 4).
    ///
    /// The order of the ends says nothing: a caller may read slowly. A clock that was set back keeps no response out.
    private func isNewer(_ one: CachedResponse, than other: CachedResponse) -> Bool {
        one.requested > other.received && one.requested <= now()
    }
}

extension CachedResponse {
    /// The two parts joined; `nil` if one cannot be read, or the whole is too long for the store.
    ///
    /// - Parameter isContinued: `true` if the writer continues the other part, which is the first.
    fileprivate func joined(
        with other: CachedResponse, as joined: ContentRange, writer: any CachedBodyWriter, isContinued: Bool
    ) -> CachedResponse? {
        guard let part, let otherPart = other.part else { return nil }
        let isFirst = part.bytes.lowerBound <= otherPart.bytes.lowerBound
        let (first, second) = isFirst ? (part.bytes, otherPart.bytes) : (otherPart.bytes, part.bytes)
        let (head, tail) = isFirst ? (body, other.body) : (other.body, body)
        let skipped = min(first.upperBound - second.lowerBound, tail.count)
        guard isContinued || head.copy(0..<head.count, to: writer), tail.copy(skipped..<tail.count, to: writer),
            let body = writer.finish()
        else {
            writer.discard()
            return nil
        }
        guard body.count == joined.bytes.length else {
            body.discard()
            return nil
        }
        let isWhole = joined.bytes == 0..<joined.total
        var fields = CacheRules.freshened(other.fields, by: fields)
        fields.set("Content-Length", String(body.count))
        fields.remove("content-range")
        if !isWhole { fields.set("Content-Range", joined.fieldValue) }
        return CachedResponse(
            url: url, status: isWhole ? 200 : 206, fields: fields, requested: requested, received: received,
            variants: variants, credential: credential, part: isWhole ? nil : joined, body: body,
            initialAge: freshness.initialAge, handled: other.isOnlyForMemory ? other.handled : handled,
            isUpdate: isContinued)
    }

    /// Asks an app's handler whether to store the response, and calls a closure with what it allows to store, or
    /// another one if that is nothing.
    func propose(
        to delegate: any ExchangeDelegate, allowed store: @escaping @Sendable (CachedResponse) -> Void,
        refused: @escaping @Sendable () -> Void
    ) {
        guard let proposal = foundation else { return refused() }
        delegate.decide(aboutStoring: proposal) { answer in
            guard let answer, answer.storagePolicy != .notAllowed else { return refused() }
            store(answer === proposal ? self : self.changed(to: answer))
        }
    }

    /// The Foundation response for a handler; `nil` if its body is in a file.
    var foundation: CachedURLResponse? {
        guard case .memory(let data) = body, let url = URL(string: url),
            let response = HTTPURLResponse(head: TransportResponseHead(status: status, fields: fields), url: url)
        else { return nil }
        return CachedURLResponse(response: response, data: data)
    }

    /// The response as a handler has changed it.
    private func changed(to answer: CachedURLResponse) -> CachedResponse {
        var status = status
        var fields = fields
        if let response = answer.response as? HTTPURLResponse {
            status = response.statusCode
            fields = response.headers.map { HTTPField(name: $0.name, value: $0.value) }
        }
        return CachedResponse(
            url: url, status: status, fields: fields, requested: requested, received: received, variants: variants,
            credential: credential, part: part, body: .memory(answer.data), initialAge: freshness.initialAge,
            handled: answer)
    }
}
