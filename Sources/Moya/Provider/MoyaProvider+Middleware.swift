public import Foundation
public import MoyaSession

extension MoyaProvider {
    /// Makes a provider whose calls pass through middleware, or have deadlines.
    ///
    /// An initializer that a subclass overrides takes part: this one calls the one that takes an `endpointClosure`. As with
    /// every convenience initializer, a subclass that overrides initializers has this one when it overrides both.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint, once a call, before the first middleware.
    ///   - stubClosure: Says whether and how a target is stubbed. A stubbed call passes every middleware, and so ends after
    ///     `request` has returned.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - session: Carries the calls; a new one by default.
    ///   - middleware: The middleware of every call, the outermost first; see ``Middleware``.
    ///   - plugins: Watch and edit the calls, in this order. Their place is after every middleware, where they see each
    ///     attempt, unless ``Plugins`` stands in `middleware`; they run in the call's task.
    ///   - trackInflights: `true` if a call joins an equal one that is under way, before the first middleware and with
    ///     that one's deadlines.
    ///   - deadlines: The time limits of every call, unless its target or the caller says otherwise.
    ///   - clock: Measures what middleware waits for, and the deadlines `attempt` and `total`.
    @preconcurrency
    public convenience init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        middleware: [any Middleware] = [],
        plugins: [any PluginType] = [],
        trackInflights: Bool = false,
        deadlines: Deadlines = Deadlines(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            callbackQueue: callbackQueue, session: session, plugins: plugins, trackInflights: trackInflights)
        settings = CallSettings(middleware: middleware, deadlines: deadlines, clock: clock)
    }
}
