public import Foundation
public import MoyaSession

extension MoyaProvider {
    /// Makes a provider whose calls pass through middleware, or have deadlines.
    ///
    /// This initializer calls the one that takes an `endpointClosure`, so an override of that runs. As with every
    /// convenience initializer, a subclass inherits this one if it overrides both designated initializers.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint, once per call, before the first middleware.
    ///   - stubClosure: Returns the stub behaviour of a target. A stubbed call passes every middleware, and so ends
    ///     after `request` has returned.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - session: Performs the requests; a new session by default.
    ///   - middleware: The middleware of every call, outermost first; see ``MoyaMiddleware``.
    ///   - plugins: Observe and edit the calls, in this order. They run after every middleware, once per attempt and in
    ///     the call's task, unless `middleware` contains ``PluginsMiddleware``.
    ///   - trackInflights: `true` if a call joins an equal one that is under way. Joining happens before the first
    ///     middleware, and the deadlines of the first call apply.
    ///   - deadlines: The time limits of every call, unless its target or caller sets others.
    ///   - clock: Measures the delays of middleware and the deadlines `attempt` and `total`.
    @preconcurrency
    public convenience init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        middleware: [any MoyaMiddleware] = [],
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
