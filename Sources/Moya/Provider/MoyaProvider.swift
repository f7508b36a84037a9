public import Foundation
public import MoyaSession

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Calls targets.
///
///     let provider = MoyaProvider<GitHub>()
///     let zen = try await provider.request(.zen).mapString()
///
/// A call passes these, in order; each sees what the one before made of it:
///
///     endpointClosure    target -> endpoint
///     stubClosure        whether the network is asked at all
///     trackInflights     joins an equal call that is under way
///     requestClosure     endpoint -> URLRequest
///     middleware         where there are any       see ``Middleware``
///     session            its adapters
///     plugins            prepare, willSend          once per attempt
///     transport          the network, or the stub
///     session            validation, retriers       a retry goes back to the session's adapters
///     plugins            didReceive, process        once per call
///     callbackQueue      the completion
///
/// Keep the provider: once it is released, its calls end with `NSURLErrorDomain` -999, cancelled. An `async` call keeps
/// its provider by itself.
///
/// `@unchecked`: everything stored here is constant; a subclass answers for what it adds.
open class MoyaProvider<Target: TargetType>: MoyaProviderType, @unchecked Sendable {
    /// Makes the endpoint of a target.
    public typealias EndpointClosure = @Sendable (Target) -> Endpoint
    /// Receives the request or an error.
    public typealias RequestResultClosure = @Sendable (Result<URLRequest, MoyaError>) -> Void
    /// Makes the request of an endpoint and hands it on, now or later, from any thread.
    public typealias RequestClosure = @Sendable (Endpoint, @escaping RequestResultClosure) -> Void
    /// Says whether and how a target is stubbed.
    public typealias StubClosure = @Sendable (Target) -> StubBehavior

    /// Makes the endpoint of a target; runs on the caller's thread, once a call.
    public let endpointClosure: EndpointClosure
    /// Makes the request of an endpoint; called on the caller's thread, once a call.
    public let requestClosure: RequestClosure
    /// Says whether and how a target is stubbed; runs on the caller's thread, once a call.
    public let stubClosure: StubClosure
    /// Carries the calls.
    public let session: Session
    /// Watch and edit the calls, in this order.
    public let plugins: [any PluginType]
    /// `true` if a call joins an equal one that is under way.
    public let trackInflights: Bool

    let callbackQueue: DispatchQueue?
    let calls = ActiveCalls()
    /// Set while the provider is made, and never again.
    final var settings = CallSettings.none
    /// `true` if the calls may be made in a way that was overridden; set while the provider is made, and never again.
    final private(set) var isSubclass = false
    /// `true` if a call with nothing to encode needs no endpoint, because nothing would see it; set while the provider
    /// is made, and never again.
    final private(set) var skipsEndpoints = false
    let coalesced = CoalescedCalls()

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint.
    ///   - stubClosure: Says whether and how a target is stubbed.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - session: Carries the calls; a new one by default.
    ///   - plugins: Watch and edit the calls, in this order.
    ///   - trackInflights: `true` if a call joins an equal one that is under way.
    @preconcurrency
    public init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        plugins: [any PluginType] = [],
        trackInflights: Bool = false
    ) {
        self.endpointClosure = endpointClosure
        self.requestClosure = requestClosure
        self.stubClosure = stubClosure
        self.callbackQueue = callbackQueue
        self.session = session
        self.plugins = plugins
        self.trackInflights = trackInflights
        let type = type(of: self)
        isSubclass = type != MoyaProvider<Target>.self && type != OnlineProvider<Target>.self
    }

    /// Makes a provider whose endpoints and requests are what its targets say.
    ///
    /// - Parameters:
    ///   - stubClosure: Says whether and how a target is stubbed.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - session: Carries the calls; a new one by default.
    ///   - plugins: Watch and edit the calls, in this order.
    ///   - trackInflights: `true` if a call joins an equal one that is under way.
    @preconcurrency
    public init(
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
        plugins: [any PluginType] = [],
        trackInflights: Bool = false
    ) {
        endpointClosure = MoyaProvider.defaultEndpointMapping
        requestClosure = MoyaProvider.defaultRequestMapping
        self.stubClosure = stubClosure
        self.callbackQueue = callbackQueue
        self.session = session
        self.plugins = plugins
        self.trackInflights = trackInflights
        isSubclass = type(of: self) != MoyaProvider<Target>.self
        skipsEndpoints = !isSubclass && !trackInflights && type(of: session) == Session.self
    }

    deinit {
        calls.cancelAll()
        coalesced.removeAll()
    }

    /// The completions waiting for each endpoint, in the order of their calls; empty unless ``trackInflights`` is set.
    open var inflightRequests: [Endpoint: [Completion]] { coalesced.completions }

    /// The endpoint of a target, as the ``endpointClosure`` makes it.
    open func endpoint(_ token: Target) -> Endpoint { endpointClosure(token) }

    /// Calls a target and hands the end of the call to a closure.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - callbackQueue: The queue of `progress` and `completion`: this one, else the provider's, else the main queue.
    ///     With neither, an immediate stub completes on the calling thread before this method returns.
    ///   - progress: Called as bytes move, and a last time before the completion.
    ///   - completion: Called exactly once.
    /// - Returns: Cancels the call.
    @discardableResult
    @preconcurrency
    open func request(
        _ target: Target,
        callbackQueue: DispatchQueue? = .none,
        progress: SendableProgressBlock? = .none,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        requestNormal(
            target, callbackQueue: callbackQueue ?? self.callbackQueue, progress: progress, completion: completion)
    }

    /// Stubs a call: prepares it and passes it by every plugin, and answers it with the endpoint's sample response.
    ///
    /// Called for every call whose stub behavior is not `.never`; for `.never` the completion gets
    /// ``TargetError/stubBehaviorIsNever``.
    @discardableResult
    @preconcurrency
    open func stubRequest(
        _ target: Target,
        request: URLRequest,
        callbackQueue: DispatchQueue?,
        completion: @escaping SendableCompletion,
        endpoint: Endpoint,
        stubBehavior: StubBehavior
    ) -> CancellableToken {
        let call = ProviderCall(
            target: target, plugins: plugins, queue: callbackQueue, progress: StubProgress.current?.take(for: endpoint),
            consumer: .completion(completion), isWhole: false, calls: calls)
        let token = CancellableToken { call.cancel() }
        call.stub(request, as: stubBehavior, with: endpoint, in: session)
        return token
    }
}
