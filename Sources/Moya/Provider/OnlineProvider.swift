public import Foundation
public import MoyaSession

/// A provider whose calls wait until there is a network.
///
///     let provider = OnlineProvider<MyAPI>(online: NetworkReachability.shared.isOnline)
///     let users = try await provider.request(.users)
///
/// It is called as every ``MoyaProvider`` is. Each call waits until the sequence says `true`, and is then made once; one
/// that is cancelled while it waits is never made. It is a provider with ``WaitForConnectivity`` as its outermost middleware.
public final class OnlineProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
    /// Makes a provider, with all that a ``MoyaProvider`` takes and a connectivity sequence.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint.
    ///   - stubClosure: Says whether and how a target is stubbed.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - session: Carries the calls; a new one by default.
    ///   - middleware: The middleware of every call once there is a network, the outermost first.
    ///   - plugins: Watch and edit the calls, in this order.
    ///   - trackInflights: `true` if a call joins an equal one that is under way.
    ///   - deadlines: The time limits of every call, its wait for a network included.
    ///   - clock: Measures every wait.
    ///   - online: The connectivity; see ``WaitForConnectivity``.
    ///   - limit: The longest wait of a call before it fails with ``OfflineError/stillOffline(after:)``; for ever when
    ///     `nil`, and no longer than it takes to look when it is not positive.
    @preconcurrency
    public init<Online: AsyncSequence & Sendable>(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider<Target>.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        middleware: [any Middleware] = [],
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
