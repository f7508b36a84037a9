/// Moves the bytes of one HTTP exchange at a time between a session and a server: the port every wire implements.
///
/// ### Do I need this?
/// Only to replace how bytes travel: another HTTP library, a recording, a test. To rewrite a request, write a
/// `RequestAdapter`; to watch or edit calls, a plugin.
///
/// ### Use
/// Give it to a session: `Session(transport: myTransport)`.
///
/// ### Implementation
/// ``start(_:delivering:)`` begins an exchange and returns at once. From then on the transport calls the sink, one event
/// at a time and never two at once for the same exchange: any number of ``TransportEvent/informational(_:)`` and
/// ``TransportEvent/sent(bytes:expected:)``, at most one ``TransportEvent/head(_:)``, then chunks, and exactly one
/// ``TransportEvent/end(_:)``, after which the sink hears nothing more. A cancelled exchange ends too, with
/// ``TransportFailure/Kind/cancelled``. Redirects, authentication, cookies and retries are not the transport's:
/// it reports a 302 or a 401 as it reports any other answer.
///
/// ### Events to report
/// Every failure is a ``TransportFailure`` whose kind says what went wrong. A transport never traps and never drops an
/// exchange.
public protocol Transport: Sendable {
    /// Begins an exchange and returns its handle without waiting for the network.
    ///
    /// The sink may be called before this method returns, on the calling thread, by a transport whose answer is at
    /// hand. The transport keeps the sink until the end event.
    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange

    /// `true` if events arrive where user code may run and block; `false` for a transport that delivers on a thread
    /// which other exchanges wait for.
    var deliversWhereCodeMayBlock: Bool { get }

    /// The reason that the transport cannot honour one of its settings; every exchange then ends with it. Found when
    /// the transport was made, as far as that is possible without a connection.
    var configurationFailure: TransportFailure? { get }
}

extension Transport {
    /// `true`: events arrive where user code may run.
    public var deliversWhereCodeMayBlock: Bool { true }

    /// `nil`: nothing is wrong.
    public var configurationFailure: TransportFailure? { nil }
}

/// The handle of an exchange under way; every method may be called from any thread, any number of times.
public protocol TransportExchange: AnyObject, Sendable {
    /// Ends the exchange early; the sink still hears one end event, unless it has heard it already.
    func cancel()

    /// Stops reading the response, so that the server has to wait; nothing is lost.
    func pause()

    /// Goes on reading after ``pause()`` or after a sink answered ``TransportDemand/wait``.
    func resume()
}

/// Receives the events of one exchange.
public protocol TransportSink: AnyObject, Sendable {
    /// Takes an event and says whether the transport may go on reading.
    ///
    /// Called on the transport's thread, which must not be blocked when
    /// ``Transport/deliversWhereCodeMayBlock`` is `false`. The bytes of a chunk are valid during the call only.
    func receive(_ event: TransportEvent) -> TransportDemand
}

/// The answer of a sink to an event.
public enum TransportDemand: Sendable {
    /// Go on.
    case more
    /// The event was taken; read no further until ``TransportExchange/resume()``.
    case wait
}
