public import Foundation
public import MoyaSession

/// A provider whose calls wait until there is a network.
///
///     let provider = OnlineProvider<MyAPI>(online: NetworkReachability.shared.isOnline)
///     let users = try await provider.request(.users)
///
/// It is called as every ``MoyaProvider`` is. Each call waits until the sequence says `true`, and is then made once; one
/// that is cancelled while it waits is never made. It is a provider with an ``OfflineGate`` as its outermost layer.
public final class OnlineProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
    /// Makes a provider, with all that a ``MoyaProvider`` takes and what tells whether there is a network.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint.
    ///   - stubClosure: Says whether and how a target is stubbed.
    ///   - callbackQueue: Where completions run; the main queue by default.
    ///   - session: Carries the calls; one of its own by default.
    ///   - layers: What every call passes through once there is a network, the outermost first.
    ///   - plugins: Watch and edit the calls, in this order.
    ///   - trackInflights: Whether a call joins an equal one that is under way.
    ///   - deadlines: How long every call may take, its wait for a network included.
    ///   - clock: Measures every wait.
    ///   - online: Tells whether there is a network; see ``OfflineGate``.
    ///   - limit: How long a call waits before it fails with ``OfflineError/stillOffline(after:)``; for ever when `nil`.
    @preconcurrency
    public init<Online: AsyncSequence & Sendable>(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider<Target>.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        layers: [any Layer] = [],
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
        composition = Composition(
            layers: [OfflineGate(online: online, waitingAtMost: limit)] + layers, deadlines: deadlines, clock: clock)
    }
}
