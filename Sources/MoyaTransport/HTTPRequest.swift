public import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// An HTTP request in the final form that a transport sends.
public struct HTTPRequest: Sendable {
    /// The method, sent unchanged.
    public var method: String
    /// The absolute `http` or `https` URL, percent-encoded, with no fragment and no user information.
    public var url: String
    /// The header fields, in the order in which they are sent.
    ///
    /// The transport drops fields of the connection and of framing and sets them itself: `Content-Length`,
    /// `Transfer-Encoding`, `Connection` other than `close`, `Keep-Alive`, `Proxy-Connection`, `Proxy-Authorization`,
    /// `TE`, `Trailer` and `HTTP2-Settings`, and an `Expect` without a body (RFC 9110 section 7.6.1, RFC 9113 section
    /// 8.2.2). It refuses an `Upgrade`, a name that is not a token, and a control character in a value.
    public var fields: [HTTPField]
    /// The body.
    public var body: TransportBody
    /// The time limits of the exchange.
    public var timeouts: Timeouts
    /// `true` if the end event should carry metrics.
    public var collectsMetrics: Bool
    /// `true` if the sink receives `sent` events.
    public var reportsSentBytes: Bool
    /// `true` if the response is probably large, as for a download, and deserves a larger read buffer.
    public var expectsLargeResponse = false
    /// A challenge that the transport answers itself, without reporting the intermediate 401 responses.
    ///
    /// If the server refuses the credential or requires another scheme, the response is the 401. An `Authorization`
    /// among the fields is then not sent. The exchange fails with ``TransportFailure/Kind/unsupported`` if the
    /// transport lacks the scheme.
    public var authentication: TransportAuthentication?
    /// The original `URLRequest`, for settings that only it has: cookies, the cache.
    package var urlRequest: URLRequest?
    /// `true` if a reader of the response may hold it back for any time.
    package var isStreamed = false
    /// `true` if a cache may answer the request and store its response.
    package var usesCache = true
    /// `true` if a cache may answer the request with the exchange of an equal request in flight.
    package var sharesExchange = true
    /// `true` if there is known to be no network: only a stored response can answer.
    package var isOffline = false
    /// `true` if a stored response must not answer, because it caused the retry.
    package var reloads = false
    /// Makes decisions for the stages of a transport stack; `nil` for their defaults.
    package var delegate: (any ExchangeDelegate)?

    /// Makes a request, by default without header fields and body.
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
    /// The field name, sent in this spelling.
    public var name: String
    /// The field value, without surrounding white space.
    public var value: String

    /// Makes a field from a name and a value.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Compares the bytes: equal strings may have different ones beyond ASCII.
    public static func == (one: HTTPField, other: HTTPField) -> Bool {
        ASCII.haveSameBytes(one.name, other.name) && ASCII.haveSameBytes(one.value, other.value)
    }
}

extension [HTTPField] {
    /// The value of the first field with a name, ignoring case.
    public subscript(name: String) -> String? {
        first { ASCII.equalIgnoringCase($0.name, name) }?.value
    }
}

/// The source of the bytes of a request body.
public enum TransportBody: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case data(Data)
    /// A file, read while it is sent.
    case file(URL, length: Int64)
    /// A reader that supplies bytes while they are sent; a `nil` length is unknown.
    case stream(any TransportBodyReader, length: Int64?)

    /// The stated number of bytes, 0 without a body; `nil` if unknown.
    package var length: Int64? {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(_, let length): length
        case .stream(_, let length): length
        }
    }
}

/// Yields a request body piece by piece; used by one exchange at a time.
///
/// It is called on the transport's thread and must not block: if no bytes are available, it returns `nil` and calls
/// back later.
public protocol TransportBodyReader: AnyObject, Sendable {
    /// Fills the buffer from its start with the available bytes.
    ///
    /// - Parameters:
    ///   - buffer: The destination of the bytes.
    ///   - whenReadable: Call it once, from any thread, after `nil` was returned and bytes, the end or an error became
    ///     available. Of several closures passed since, only the last one counts.
    /// - Returns: The number of bytes written; 0 at the end; `nil` if no bytes are available yet.
    /// - Throws: Any error, which ends the exchange with ``TransportFailure/Kind/requestBody``.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int?

    /// Restarts at the first byte, for a transport that has to send the body again.
    ///
    /// - Returns: `false` if the bytes cannot be read twice.
    func rewind() -> Bool
}

/// A reader that knows, without rewinding, whether it can.
package protocol RepeatableBodyReader: TransportBodyReader {
    /// `true` if the body can be read from its first byte.
    var isRepeatable: Bool { get }
}

/// The time limits of an exchange, in seconds; `nil`, infinite, negative and NaN values set no limit.
///
/// A limit of more than a century counts as a century.
public struct Timeouts: Sendable, Hashable {
    /// The time from the start of name resolution until the connection, including TLS, is ready.
    public var connect: Double?
    /// The time between two bytes, in either direction; also limits connecting, where it is reported as
    /// ``TransportFailure/Timeout/connect``.
    public var idle: Double?
    /// The time from start to end.
    public var total: Double?

    /// Makes time limits; none by default.
    public init(connect: Double? = nil, idle: Double? = nil, total: Double? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
