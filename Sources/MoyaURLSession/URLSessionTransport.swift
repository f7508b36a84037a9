public import MoyaTransport

#if canImport(Darwin)
package import Foundation
#endif

/// A transport over Foundation's `URLSession`: the default on Apple platforms, and optional elsewhere.
///
/// It uses `URLSession` only for I/O. Redirects, cookies, caches and stored credentials of `URLSession` are off: as
/// with every transport, the session handles them.
///
/// ### Limits
/// `URLSession` keeps neither the order nor the duplicates of header fields, sends no body with a GET, and does not
/// report when a connection is established, so a `Timeouts.connect` limit is refused. On Linux, of lines that spell a
/// name differently, such as `ETag` and `etag`, it may keep only those of one spelling, chosen at random. A setting
/// that the transport cannot honour ends every exchange with the setting's name, and is in ``configurationFailure``.
/// The idle limit also runs while an exchange waits for one of its host's connections.
///
/// On Apple platforms, a `multipart/x-mixed-replace` response ends with an error, and the end of a connection within a
/// body is a reset. `URLSession` delivers neither the head nor the first 512 bytes of text without a known type
/// (`text/plain`, or none) before more have arrived, while the idle limit runs: let a server that streams send
/// `application/json`, or set a longer limit. It adds fields that a request lacks: a `Content-Type` of forms to a POST
/// with a body, `User-Agent`, `Accept`, `Accept-Language` and `Accept-Encoding`, and possibly those of a resumable upload
/// (`Upload-Complete`, `Upload-Draft-Interop-Version`) to a body that is read while it is sent. Since it joins fields of one
/// name, text such as `, name=` within the value of a cookie begins another cookie.
///
/// There, a process has one cache of TLS sessions (Apple's QA1727). A connection that resumes a session presents no
/// certificate, so that other code of the app that reaches a host without its pins may spare a later session these pins:
/// use the same trust policy and client certificate for a host everywhere.
///
/// There, `URLSession` uses an HTTP/2 connection for every host that its certificate names, and evaluates only the first.
/// Origins whose host the trust policy evaluates, or is in `TransportConfiguration.clientIdentityOrigins`, therefore
/// share no connections with others: each has a `URLSession`. Beyond 32, the least recently used one closes its
/// connections when its exchanges have ended.
///
/// ### May I use it on Linux?
/// Only with servers that you trust: Foundation on Linux ends the process if a server sends trailers, disconnects
/// within a header section, or redirects to a `Location` without a scheme whose host is in brackets or has certain
/// escapes, such as `//[::1]/`; code built on it cannot prevent that. It also does not expose a server's certificates,
/// and measures nothing; bytes that a server sends while its reader pauses stay in memory; and a body from a reader is
/// collected before it is sent, in memory up to a megabyte and then in a file. The libcurl transport, the default on
/// Linux, has none of these limits.
///
/// ### Use on Linux
/// Add the product `MoyaURLSession` to a target, and pass the transport to a session:
///
/// ```swift
/// let session = Session(transport: URLSessionTransport())
/// ```
///
/// Releasing a transport cancels its exchanges and closes its connections.
public final class URLSessionTransport: Transport {
    private let wire: URLSessionWire

    /// Makes a transport with new connections; it opens nothing before the first exchange.
    ///
    /// - Parameter configuration: The settings of every exchange.
    public init(configuration: TransportConfiguration = TransportConfiguration()) {
        wire = URLSessionWire(URLSessionSettings(configuration))
        clientIdentityDigest = configuration.clientIdentity?.digest
    }

    #if canImport(Darwin)
    /// Makes a transport that also has the network settings of a session's configuration.
    ///
    /// - Parameters:
    ///   - configuration: The settings of every exchange.
    ///   - network: A copy of the session's configuration.
    package init(configuration: TransportConfiguration, network: URLSessionConfiguration) {
        var settings = URLSessionSettings(configuration)
        settings.network = network
        wire = URLSessionWire(settings)
        clientIdentityDigest = configuration.clientIdentity?.digest
    }
    #endif

    deinit { wire.close() }

    /// Passes the exchange to the transport's queue; events arrive on that queue.
    public func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let exchange = URLSessionExchange(request: request, sink: sink, wire: wire)
        wire.start(exchange)
        return exchange
    }

    /// `false`: the transport's queue serves every exchange, so nothing may block it.
    public var deliversWhereCodeMayBlock: Bool { false }

    /// The reason that a setting cannot be honoured, or `nil`.
    public var configurationFailure: TransportFailure? { wire.settings.failure }

    /// The SHA-256 digest of the client certificate, or `nil`.
    public let clientIdentityDigest: String?

    /// Digest on Apple platforms, which authenticates one request; none on Linux.
    ///
    /// The other schemes authenticate a connection, which `URLSession` shares among requests.
    public var authenticationSchemes: Set<TransportAuthentication.Scheme> { URLSessionSettings.authenticationSchemes }
}

extension URLSessionTransport: OpaqueReflection {}
extension URLSessionExchange: OpaqueReflection {}
