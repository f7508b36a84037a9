public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

// Names of Alamofire that cannot be supported; the compiler's message suggests an alternative.

extension Session {
    /// The time at which requests are built.
    public enum RequestSetup: Sendable, Hashable {
        /// Builds requests as they are started.
        case lazy
        /// Builds requests as they are made.
        @available(*, unavailable, message: "A request is built once it is started; write .lazy, or leave it out")
        case eager
    }

    /// Makes a session whose requests are built when they are started, as in every session.
    public convenience init(
        configuration: URLSessionConfiguration = .af.default, rootQueue: DispatchQueue? = nil,
        startRequestsImmediately: Bool = true, requestSetup: RequestSetup, requestQueue: DispatchQueue? = nil,
        serializationQueue: DispatchQueue? = nil, interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil, redirectHandler: (any RedirectHandler)? = nil,
        cachedResponseHandler: (any CachedResponseHandler)? = nil,
        eventMonitors: [any EventMonitor] = [NotificationEventMonitor()]
    ) {
        self.init(
            configuration: configuration, rootQueue: rootQueue, startRequestsImmediately: startRequestsImmediately,
            requestQueue: requestQueue, serializationQueue: serializationQueue, interceptor: interceptor,
            serverTrustManager: serverTrustManager, redirectHandler: redirectHandler,
            cachedResponseHandler: cachedResponseHandler, eventMonitors: eventMonitors)
    }

    /// The `URLSession` of an Alamofire session.
    @available(
        *, unavailable,
        message: "There is no URLSession here: write cancelAllRequests(), withAllRequests or sessionConfiguration"
    )
    public var session: URLSession { .shared }

    /// The delegate of an Alamofire session's `URLSession`.
    @available(*, unavailable, message: "There is no URLSession here: watch requests with an EventMonitor")
    public var delegate: SessionDelegate { SessionDelegate() }

    /// Makes a session with a `URLSession`.
    @available(
        *, unavailable, message: "Write Session(configuration:), and give a transport of your own as transport:"
    )
    public convenience init(
        session: URLSession, delegate: SessionDelegate, rootQueue: DispatchQueue,
        startRequestsImmediately: Bool = true, interceptor: (any RequestInterceptor)? = nil
    ) {
        self.init()
    }

    /// Makes a session with a delegate.
    @available(
        *, unavailable,
        message: "Leave delegate: out: watch requests with eventMonitors:, decide with redirectHandler: and the like"
    )
    public convenience init(configuration: URLSessionConfiguration = .af.default, delegate: SessionDelegate) {
        self.init()
    }
}

/// The delegate of an Alamofire session's `URLSession`.
@available(
    *, unavailable,
    message: "There is no URLSession here: write an EventMonitor, a RedirectHandler or a CachedResponseHandler"
)
open class SessionDelegate {
    /// Makes a delegate, which is not here.
    public init() {}
}

#if !canImport(Security)
/// The server's certificates, as represented by Security.framework.
@available(*, unavailable, message: "Security.framework is not here: an evaluator is given a PresentedServerTrust")
public typealias SecTrust = PresentedServerTrust

/// A certificate, as represented by Security.framework.
@available(*, unavailable, message: "Security.framework is not here: a certificate is Data in DER or PEM form")
public typealias SecCertificate = Data

/// A key, as represented by Security.framework.
@available(*, unavailable, message: "Security.framework is not here: a key is Data in DER or PEM form")
public typealias SecKey = Data
#endif
