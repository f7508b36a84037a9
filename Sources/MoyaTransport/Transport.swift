/// Carries one HTTP exchange at a time between a session and a server; every network stack implements it.
///
/// ### Do I need this?
/// Only to replace how bytes travel: another HTTP library, a recording, a test. To rewrite a request, write a
/// `RequestAdapter`; to observe or edit calls, a plugin.
///
/// ### Use
/// Pass it to a session: `Session(transport: myTransport)`.
///
/// ### Implementation
/// ``start(_:delivering:)`` starts an exchange and returns at once. The transport then calls the sink with one event at
/// a time, never concurrently for the same exchange: any number of ``TransportEvent/informational(_:)`` and
/// ``TransportEvent/sent(bytes:expected:)``, at most one ``TransportEvent/head(_:)``, then chunks, and exactly one
/// ``TransportEvent/end(_:)``, which is the last event. A cancelled exchange also ends, with
/// ``TransportFailure/Kind/cancelled``. The session handles redirects, authentication, cookies and retries: the
/// transport reports a 302 or a 401 like any other response.
///
/// ### Errors
/// Report every failure as a ``TransportFailure`` with the appropriate kind. A transport never traps and never drops an
/// exchange.
public protocol Transport: Sendable {
    /// Starts an exchange and returns its handle without waiting for the network.
    ///
    /// A transport with an immediate response may call the sink before this method returns, on the calling thread. The
    /// transport keeps the sink until the end event.
    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange

    /// `true` if events arrive where user code may run and block; `false` for a transport that delivers on a thread
    /// that other exchanges need.
    var deliversWhereCodeMayBlock: Bool { get }

    /// The reason that the transport cannot honour one of its settings, which then ends every exchange; determined when
    /// the transport is made, as far as possible without a connection.
    var configurationFailure: TransportFailure? { get }

    /// A text that identifies the certificate that servers receive from the client; `nil` if they receive none.
    ///
    /// A cache uses no response to one certificate for another. A transport around another one returns the text of that.
    var clientIdentityDigest: String? { get }

    /// The schemes of challenges that the transport answers (``HTTPRequest/authentication``); the session delivers a 401
    /// that offers no other, and it answers Basic itself.
    ///
    /// A transport around another one returns those of that.
    var authenticationSchemes: Set<TransportAuthentication.Scheme> { get }
}

extension Transport {
    /// `true`: events arrive where user code may run.
    public var deliversWhereCodeMayBlock: Bool { true }

    /// `nil`: all settings can be honoured.
    public var configurationFailure: TransportFailure? { nil }

    /// `nil`: servers receive no certificate.
    public var clientIdentityDigest: String? { nil }

    /// All schemes.
    public var authenticationSchemes: Set<TransportAuthentication.Scheme> {
        Set(TransportAuthentication.Scheme.allCases)
    }
}

/// The handle of an exchange; every method may be called from any thread, any number of times.
public protocol TransportExchange: AnyObject, Sendable {
    /// Ends the exchange early; the sink still receives one end event, unless it has already received it.
    func cancel()

    /// Stops reading the response, so that the server has to wait; no data is lost.
    func pause()

    /// Resumes reading after ``pause()`` or after a sink returned ``TransportDemand/wait``.
    func resume()
}

/// Receives the events of one exchange.
public protocol TransportSink: AnyObject, Sendable {
    /// Receives an event and returns whether the transport may continue reading.
    ///
    /// Called on the transport's thread, which must not be blocked if ``Transport/deliversWhereCodeMayBlock`` is
    /// `false`. The bytes of a chunk are valid only during the call.
    func receive(_ event: TransportEvent) -> TransportDemand
}

/// The response of a sink to an event.
public enum TransportDemand: Sendable {
    /// Continue reading.
    case more
    /// The event was accepted; stop reading until ``TransportExchange/resume()``.
    case wait
}
