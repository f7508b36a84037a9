/// An event of an exchange, in the order of `informational* head chunk* end`, with `sent` anywhere before the end.
public enum TransportEvent {
    /// An interim response with a 1xx status (RFC 9110 section 15.2).
    case informational(TransportResponseHead)
    /// The status and header fields of the final response.
    case head(TransportResponseHead)
    /// Body bytes with the content coding removed, valid only while the sink handles the event.
    ///
    /// An unknown coding is kept, as Content-Encoding states (RFC 9110 section 8.4).
    case chunk(UnsafeRawBufferPointer)
    /// The number of request body bytes sent so far, and the total if known.
    case sent(bytes: Int64, expected: Int64?)
    /// The end of the exchange, always the last event.
    case end(TransportEnd)
}

/// The end of an exchange.
public struct TransportEnd: Sendable {
    /// The failure; `nil` if the response is complete.
    public var failure: TransportFailure?
    /// Timings and sizes, if the request collects them and the transport provides them.
    public var metrics: TransportMetrics? {
        get { storedMetrics?.value }
        set { storedMetrics = newValue.map(StoredMetrics.init) }
    }
    package private(set) var storedMetrics: StoredMetrics?
    /// The trailer fields of the response (RFC 9110 section 6.5), if any and if the transport provides them; they are
    /// never merged into the head.
    public var trailers: [HTTPField]

    /// Makes an end, by default of a complete response.
    public init(failure: TransportFailure? = nil, metrics: TransportMetrics? = nil, trailers: [HTTPField] = []) {
        self.failure = failure
        self.trailers = trailers
        self.metrics = metrics
    }
}
