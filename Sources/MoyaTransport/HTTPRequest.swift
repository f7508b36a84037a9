public import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// One HTTP request as a transport sends it: everything decided, nothing left to interpret.
public struct HTTPRequest: Sendable {
    /// The method, sent as it is spelled.
    public var method: String
    /// The absolute `http` or `https` URL, percent-encoded, with no fragment and no user information.
    public var url: String
    /// The header fields, in the order in which they are sent.
    ///
    /// Fields of the connection and of framing are left out, since they are the transport's to say: `Content-Length`,
    /// `Transfer-Encoding`, `Connection` other than `close`, `Keep-Alive`, `Proxy-Connection`, `Proxy-Authorization`, `TE`,
    /// `Trailer` and `HTTP2-Settings`, and an `Expect` without a body (RFC 9110 section 7.6.1, RFC 9113 section 8.2.2). An
    /// `Upgrade`, a name that is no token, and a control character in a value are refused.
    public var fields: [HTTPField]
    /// The body.
    public var body: TransportBody
    /// The bounds on how long the exchange may take.
    public var timeouts: Timeouts
    /// `true` if the end event should carry metrics.
    public var collectsMetrics: Bool
    /// `true` if `sent` events are wanted.
    public var reportsSentBytes: Bool
    /// `true` if the response may well be large, and is worth a larger buffer while it is read: that of a download.
    public var expectsLargeResponse = false
    /// A challenge that the transport answers, and whose intermediate 401 responses it keeps to itself.
    ///
    /// A 401 is the response when the server refuses the credential, or requires another scheme. An `Authorization`
    /// among the fields is not sent then. It fails with ``TransportFailure/Kind/unsupported`` where the transport lacks
    /// the scheme.
    public var authentication: TransportAuthentication?
    /// The `URLRequest` that this was made of, for the settings that only that has: cookies, the cache.
    package var urlRequest: URLRequest?
    /// `true` if a cache may answer the request and store its response.
    package var usesCache = true
    /// `true` if a cache may answer the request with the exchange of an equal one that is under way.
    package var sharesExchange = true
    /// Decides for the stages of a transport stack; `nil` where they go by their defaults.
    package var delegate: (any ExchangeDelegate)?

    /// Makes a request with no header fields and no body unless they are given.
    public init(
        method: String,
        url: String,
        fields: [HTTPField] = [],
        body: TransportBody = .none,
        timeouts: Timeouts = Timeouts(),
        collectsMetrics: Bool = false,
        reportsSentBytes: Bool = false,
        authentication: TransportAuthentication? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeouts = timeouts
        self.collectsMetrics = collectsMetrics
        self.reportsSentBytes = reportsSentBytes
        self.authentication = authentication
    }
}

/// One header field line (RFC 9110 section 5.2).
public struct HTTPField: Sendable, Hashable {
    /// The field name, in the spelling that is sent.
    public var name: String
    /// The field value, without surrounding white space.
    public var value: String

    /// Makes a field from a name and a value.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The source of the bytes of a request body.
public enum TransportBody: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case data(Data)
    /// A file, read as it is sent.
    case file(URL, length: Int64)
    /// A reader that supplies bytes as they are sent; a `nil` length means that it is not known beforehand.
    case stream(any TransportBodyReader, length: Int64?)
}

/// Yields a request body piece by piece; used by one exchange at a time.
///
/// It is called on the transport's thread, which it must not block: it says that there is nothing yet, and later that
/// there is.
public protocol TransportBodyReader: AnyObject, Sendable {
    /// Fills the buffer from its start with what is at hand.
    ///
    /// - Parameters:
    ///   - buffer: The destination of the bytes.
    ///   - whenReadable: To be called, from any thread and once, after `nil` was returned and there is something to read,
    ///     the end or an error included. Of several that were given since, the last one counts.
    /// - Returns: The number of bytes written; 0 at the end; `nil` when there is nothing yet.
    /// - Throws: Any error, which ends the exchange with ``TransportFailure/Kind/requestBody``.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int?

    /// Starts over from the first byte, for a transport that has to send the body again.
    ///
    /// - Returns: `false` when the bytes cannot be read twice.
    func rewind() -> Bool
}

/// The bounds on an exchange, in seconds; `nil` sets no bound, nor does what is infinite, negative, or no number.
///
/// A bound of more than a century is a century.
public struct Timeouts: Sendable, Hashable {
    /// From the start of name resolution until the connection, TLS included, is ready.
    public var connect: Double?
    /// Between two bytes, in either direction; bounds the making of a connection too, where that is reported as
    /// ``TransportFailure/Timeout/connect``.
    public var idle: Double?
    /// From start to end.
    public var total: Double?

    /// Makes bounds; none by default.
    public init(connect: Double? = nil, idle: Double? = nil, total: Double? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
