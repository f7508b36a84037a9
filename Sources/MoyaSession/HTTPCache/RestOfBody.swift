import Foundation
import MoyaTransport

/// Requests a response again whose stored body turned out to be damaged, and delivers the bytes that are missing.
///
/// The bytes that were delivered are compared with those that arrive: so what the caller gets is one body, whatever the
/// validators say.
///
/// `@unchecked`: state is only accessed by the events of the exchange, one at a time.
final class RestOfBody: TransportSink, @unchecked Sendable {
    /// The head that the caller got.
    private let head: TransportResponseHead
    private let sink: any TransportSink
    private let reader: CachedBodyReader
    /// Delivered bytes that are read again, and not yet compared.
    private var piece = Data()
    /// The number of delivered bytes that are not yet compared.
    private var unseen: Int64
    /// The number of bytes still to deliver.
    private var missing: Int64
    /// `true` if the body is the one whose first bytes have been delivered, as far as it is known.
    private var isSame = true
    /// Cancels the exchange; `nil` after its end, since it retains what retains this.
    private var cancel: (@Sendable () -> Void)?

    private init(
        _ hit: CacheHit, _ reader: CachedBodyReader, after delivered: Int64, to sink: any TransportSink,
        cancel: @escaping @Sendable () -> Void
    ) {
        self.cancel = cancel
        head = hit.head(CacheStatus(isHit: true), at: 0)
        self.reader = reader
        unseen = delivered
        missing = hit.delivered.length - delivered
        self.sink = sink
    }

    /// Starts the request.
    ///
    /// - Parameter cancel: Cancels the returned exchange; may be called before the return.
    /// - Returns: `nil` if the response cannot be requested as it was delivered, or if there is no network.
    static func start(
        of hit: CacheHit, after delivered: Int64, for request: CacheRequest, over inner: any Transport,
        to sink: any TransportSink, cancel: @escaping @Sendable () -> Void
    ) -> (any TransportExchange)? {
        guard case .file(let reader)? = hit.opened, request.isGET, !request.http.isOffline,
            delivered == 0 || reader.rewind()
        else { return nil }
        var sent = request.http
        sent.delegate = nil
        // A server with another version may then answer without a body.
        if let tag = hit.response.strongTag { sent.fields.set("If-Match", tag) }
        let rest = RestOfBody(hit, reader, after: delivered, to: sink, cancel: cancel)
        return inner.start(sent, delivering: rest)
    }

    /// The failure of a delivery that cannot be completed.
    private static var failure: TransportFailure {
        TransportFailure(.truncated, message: "the stored response cannot be read, and the server has another one")
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .head(let new):
            isSame =
                new.status == head.status
                && ["content-range", "etag", "last-modified"].allSatisfy { new.values(for: $0) == head.values(for: $0) }
            if !isSame { giveUp() }
        case .chunk(let bytes): if isSame { return receive(bytes) }
        case .end(let end):
            cancel = nil
            guard isSame else { break }
            let isComplete = missing == 0 || end.failure != nil
            _ = sink.receive(.end(isComplete ? end : TransportEnd(failure: Self.failure)))
        case .informational, .sent: break
        }
        return .more
    }

    /// Ends the delivery, without waiting for the rest of another body.
    private func giveUp() {
        _ = sink.receive(.end(TransportEnd(failure: Self.failure)))
        cancel?()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> TransportDemand {
        var rest = bytes[...]
        while isSame, unseen > 0, !rest.isEmpty {
            // Read a moment ago, and so from the system's memory.
            if piece.isEmpty { piece = (try? reader.next()) ?? Data() }
            let count = min(piece.count, rest.count, Int(clamping: unseen))
            isSame = count > 0 && piece.prefix(count) == Data(rest.prefix(count))
            piece = piece.dropFirst(count)
            rest = rest.dropFirst(count)
            unseen -= Int64(count)
        }
        // More bytes than were stored are not the same body.
        isSame = isSame && Int64(rest.count) <= missing
        guard isSame else {
            giveUp()
            return .more
        }
        guard !rest.isEmpty else { return .more }
        missing -= Int64(rest.count)
        return sink.receive(.chunk(UnsafeRawBufferPointer(rebasing: rest)))
    }
}
