/// An event of an exchange, in the order of `informational* head chunk* end`, with `sent` anywhere before the end.
public enum TransportEvent {
    /// An interim response with a 1xx status (RFC 9110 section 15.2).
    case informational(TransportResponseHead)
    /// The status and header fields of the final response.
    case head(TransportResponseHead)
    /// Body bytes, content coding already removed, valid only while the sink handles the event.
    ///
    /// A coding that the wire does not know is left where it is, as Content-Encoding says (RFC 9110 section 8.4).
    case chunk(UnsafeRawBufferPointer)
    /// The bytes of the request body that have left so far, and the total when it is known.
    case sent(bytes: Int64, expected: Int64?)
    /// The exchange is over; nothing follows.
    case end(TransportEnd)
}

/// The end of an exchange.
public struct TransportEnd: Sendable {
    /// The failure; `nil` when the response arrived whole.
    public var failure: TransportFailure?
    /// Timings and sizes, when the request collects them and the transport has them.
    public var metrics: TransportMetrics?
    /// The trailer fields of the response (RFC 9110 section 6.5), when it has any and the transport has them; they are no
    /// part of the head, whatever their names.
    public var trailers: [HTTPField]

    /// Makes an end, of a whole response by default.
    public init(failure: TransportFailure? = nil, metrics: TransportMetrics? = nil, trailers: [HTTPField] = []) {
        self.failure = failure
        self.metrics = metrics
        self.trailers = trailers
    }
}
