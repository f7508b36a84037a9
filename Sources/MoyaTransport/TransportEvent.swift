/// What happens in the course of an exchange, in the order of `informational* head chunk* end`, with `sent` anywhere
/// before the end.
public enum TransportEvent {
    /// An interim response with a 1xx status (RFC 9110 section 15.2).
    case informational(TransportResponseHead)
    /// The status and header fields of the final response.
    case head(TransportResponseHead)
    /// Body bytes, content coding already removed, valid only while the sink handles the event.
    case chunk(UnsafeRawBufferPointer)
    /// How many bytes of the request body have left so far, and how many there are in all when that is known.
    case sent(bytes: Int64, expected: Int64?)
    /// The exchange is over; nothing follows.
    case end(TransportEnd)
}

/// How an exchange ended.
public struct TransportEnd: Sendable {
    /// What went wrong; `nil` when the response arrived whole.
    public var failure: TransportFailure?
    /// Timings and sizes, when the request asked for them and the transport has them.
    public var metrics: TransportMetrics?

    /// Makes an end, of a whole response unless told otherwise.
    public init(failure: TransportFailure? = nil, metrics: TransportMetrics? = nil) {
        self.failure = failure
        self.metrics = metrics
    }
}
