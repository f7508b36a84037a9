public import Foundation

/// Timings and sizes of one exchange; times are seconds since its start.
public struct TransportMetrics: Sendable, Hashable {
    /// The end of the name lookup.
    public var nameLookupEnd: Double
    /// The end of the TCP handshake.
    public var connectEnd: Double
    /// The end of the TLS handshake; 0 without TLS.
    public var tlsEnd: Double
    /// The arrival of the first byte of the response.
    public var firstByte: Double
    /// The end of the exchange.
    public var total: Double
    /// The protocol as ALPN spells it: `http/1.1`, `h2`.
    public var networkProtocol: String
    /// `true` if an open connection was reused.
    public var reusedConnection: Bool
    /// Body bytes sent.
    public var bytesSent: Int64
    /// Body bytes received, before decoding.
    public var bytesReceived: Int64
    /// The server's address as text, without the port; or the path of a Unix domain socket.
    public var remoteAddress: String
    /// The server's port; 0 for a Unix domain socket.
    public var remotePort: Int
    /// The time of the start; `nil` if it was not measured.
    public var start: Date? {
        get { startTime.map { Date(timeIntervalSinceReferenceDate: $0) } }
        set { startTime = newValue?.timeIntervalSinceReferenceDate }
    }
    // A number, because Foundation traps when it prints a `Date` that is not one.
    private var startTime: Double?

    /// The time from the start to the end of the exchange, as in `URLSessionTaskMetrics`.
    public var taskInterval: DateInterval {
        // Foundation traps at a negative duration, and at a time that is not a number.
        let start = startTime?.isNaN == false ? start : nil
        return DateInterval(start: start ?? .distantPast, duration: total > 0 ? total : 0)
    }

    /// Makes metrics, zero or empty by default.
    public init(
        nameLookupEnd: Double = 0,
        connectEnd: Double = 0,
        tlsEnd: Double = 0,
        firstByte: Double = 0,
        total: Double = 0,
        networkProtocol: String = "",
        reusedConnection: Bool = false,
        bytesSent: Int64 = 0,
        bytesReceived: Int64 = 0,
        remoteAddress: String = "",
        remotePort: Int = 0,
        start: Date? = nil
    ) {
        self.nameLookupEnd = nameLookupEnd
        self.connectEnd = connectEnd
        self.tlsEnd = tlsEnd
        self.firstByte = firstByte
        self.total = total
        self.networkProtocol = networkProtocol
        self.reusedConnection = reusedConnection
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.remoteAddress = remoteAddress
        self.remotePort = remotePort
        startTime = start?.timeIntervalSinceReferenceDate
    }
}

/// Metrics in a separate allocation: every stage copies events, which seldom have any.
package final class StoredMetrics: Sendable {
    package let value: TransportMetrics

    package init(_ value: TransportMetrics) { self.value = value }
}
