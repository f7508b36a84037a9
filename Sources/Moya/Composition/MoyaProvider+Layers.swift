public import Foundation
public import MoyaSession

extension MoyaProvider {
    /// Makes a provider whose calls pass through layers, or have deadlines.
    ///
    /// An initializer that a subclass overrides takes part: this one calls the one that takes an `endpointClosure`. As with
    /// every convenience initializer, a subclass that overrides initializers has this one when it overrides both.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint, once a call, before the first layer.
    ///   - stubClosure: Says whether and how a target is stubbed. A stubbed call passes every layer, and so ends after
    ///     `request` has returned.
    ///   - callbackQueue: Where completions run; the main queue by default.
    ///   - session: Carries the calls; one of its own by default.
    ///   - layers: What every call passes through, the outermost first; see ``Layer``.
    ///   - plugins: Watch and edit the calls, in this order. Their place is after every layer, where they see each
    ///     attempt, unless ``Plugins`` stands in `layers`; they run in the call's task.
    ///   - trackInflights: Whether a call joins an equal one that is under way, before the first layer and with that
    ///     one's deadlines.
    ///   - deadlines: How long every call may take, unless its target or the caller says otherwise.
    ///   - clock: Measures what layers wait for, and the deadlines `attempt` and `total`.
    @preconcurrency
    public convenience init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        layers: [any Layer] = [],
        plugins: [any PluginType] = [],
        trackInflights: Bool = false,
        deadlines: Deadlines = Deadlines(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            callbackQueue: callbackQueue, session: session, plugins: plugins, trackInflights: trackInflights)
        composition = Composition(layers: layers, deadlines: deadlines, clock: clock)
    }

    /// The deadlines of a call that has to pass something on its way to the session; `nil` for one that has not.
    func deadlinesOfJourney(to target: Target, _ own: Deadlines?) -> Deadlines? {
        let targets = target.deadlines
        if composition.isEmpty, own == nil, targets == nil { return nil }
        return (own ?? Deadlines()).over(targets ?? Deadlines()).over(composition.deadlines)
    }

    /// Asks for the request of a call that passes layers, on the calling thread, and readies the rest.
    func journey(
        to target: Target, _ endpoint: Endpoint, _ behavior: StubBehavior, _ deadlines: Deadlines
    ) -> Journey {
        let pending = PendingRequest()
        let number = CallNumber.next()
        let timeline = Timeline(composition.clock)
        requestClosure(endpoint) { pending.answer($0) }
        return Journey(
            target: target, endpoint: endpoint, behavior: behavior, session: session, plugins: plugins,
            composition: composition, deadlines: deadlines, number: number, timeline: timeline,
            pending: pending,
            stubbing: isSubclass && behavior.isStub ? ownStubbing(of: target, endpoint, behavior) : nil)
    }

    private func ownStubbing(
        of target: Target, _ endpoint: Endpoint, _ behavior: StubBehavior
    ) -> Journey.Stubbing {
        { [weak self] attempt, request in
            guard let self else { return attempt.finish(with: .failure(.cancelled)) }
            let token = self.stubRequest(
                target, request: request, callbackQueue: attempt.queue, completion: { attempt.finish(with: $0) },
                endpoint: endpoint, stubBehavior: behavior)
            attempt.isStubbed(by: token)
        }
    }
}
