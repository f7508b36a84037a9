import MoyaTransport

/// Requests a response again whose stored body turned out to be damaged, and delivers the bytes that are missing.
///
/// `@unchecked`: state is only accessed by the events of the exchange, one at a time.
final class RestOfBody: TransportSink, @unchecked Sendable {
    private let tag: String
    private let status: Int
    private let sink: any TransportSink
    /// The number of bytes at the start that have been delivered already.
    private var delivered: Int64
    /// The number of bytes still to deliver.
    private var missing: Int64
    /// `true` if the body is the one whose first bytes have been delivered.
    private var isSame = false

    private init(_ tag: String, of response: CachedResponse, after delivered: Int64, to sink: any TransportSink) {
        self.tag = tag
        status = response.status
        self.delivered = delivered
        missing = response.body.count - delivered
        self.sink = sink
    }

    /// Starts the request.
    ///
    /// - Returns: `nil` if the two bodies could not be compared, for which both need a strong entity tag, or if there is
    ///   no network.
    static func start(
        of hit: CacheHit, after delivered: Int64, for request: CacheRequest, over inner: any Transport,
        to sink: any TransportSink
    ) -> (any TransportExchange)? {
        guard let tag = hit.response.strongTag, hit.bytes == nil, hit.response.part == nil, !request.http.isOffline
        else {
            return nil
        }
        var sent = request.http
        sent.delegate = nil
        sent.fields.set("If-Match", tag)
        return inner.start(sent, delivering: RestOfBody(tag, of: hit.response, after: delivered, to: sink))
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .head(let head): isSame = head.status == status && head.values(for: "etag") == [tag]
        case .chunk(let bytes): return receive(bytes)
        case .end(let end):
            let failure = TransportFailure(.truncated, message: "the stored response is damaged, and was removed")
            let isComplete = isSame && missing == 0
            _ = sink.receive(.end(isComplete || end.failure != nil ? end : TransportEnd(failure: failure)))
        case .informational, .sent: break
        }
        return .more
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> TransportDemand {
        guard isSame else { return .more }
        let skipped = Int(min(delivered, Int64(bytes.count)))
        delivered -= Int64(skipped)
        let count = Int64(bytes.count - skipped)
        // More bytes than were stored are not the same body.
        isSame = count <= missing
        guard isSame, count > 0 else { return .more }
        missing -= count
        return sink.receive(.chunk(UnsafeRawBufferPointer(rebasing: bytes[skipped...])))
    }
}
