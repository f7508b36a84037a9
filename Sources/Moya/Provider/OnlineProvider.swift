public import Foundation
public import MoyaSession

/// A provider whose calls wait for a network connection.
///
///     let provider = OnlineProvider<MyAPI>(online: NetworkReachability.shared.isOnline)
///     let users = try await provider.request(.users)
///
/// Each call waits until the sequence yields `true`, and is then made once; a call that is cancelled while it waits is
/// never made. This is a provider with ``WaitForConnectivity`` as its outermost middleware.
public final class OnlineProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
    /// Makes a provider with the parameters of a ``MoyaProvider`` and a connectivity sequence.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint.
    ///   - stubClosure: Returns the stub behaviour of a target.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - session: Performs the requests; a new session by default.
    ///   - middleware: The middleware of every call after the wait, outermost first.
    ///   - plugins: Observe and edit the calls, in this order.
    ///   - trackInflights: `true` if a call joins an equal one that is under way.
    ///   - deadlines: The time limits of every call, including its wait for the network.
    ///   - clock: Measures every wait.
    ///   - online: The connectivity; see ``WaitForConnectivity``.
    ///   - limit: The maximum wait of a call before it fails with ``OfflineError/stillOffline(after:)``; `nil` for no
    ///     limit. A limit that is not positive allows only one check of the connectivity, of at most a second.
    @preconcurrency
    public init<Online: AsyncSequence & Sendable>(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider<Target>.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        middleware: [any MoyaMiddleware] = [],
        plugins: [any PluginType] = [],
        trackInflights: Bool = false,
        deadlines: Deadlines = Deadlines(),
        clock: any Clock<Duration> = ContinuousClock(),
        online: Online,
        waitingAtMost limit: Duration? = .seconds(60)
    ) where Online.Element == Bool {
        super.init(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            callbackQueue: callbackQueue, session: session, plugins: plugins, trackInflights: trackInflights)
        settings = CallSettings(
            middleware: [WaitForConnectivity(online: online, waitingAtMost: limit)] + middleware, deadlines: deadlines,
            clock: clock)
    }
}
