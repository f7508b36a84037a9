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
/// A call passes these stages in order; each receives the result of the previous one:
///
///     endpointClosure    target -> endpoint
///     stubClosure        target -> network or stub
///     trackInflights     joins an equal call that is under way
///     requestClosure     endpoint -> URLRequest
///     middleware         if there is any           see ``MoyaMiddleware``
///     session            its adapters
///     plugins            prepare, willSend          once per attempt
///     transport          the network, or the stub
///     session            validation, retriers       a retry goes back to the session's adapters
///     plugins            didReceive, process        once per call, with middleware once per attempt
///     callbackQueue      the completion
///
/// A call retains its provider until it is over. Keep the provider all the same: its session holds the connections.
///
/// `@unchecked`: all stored properties are constant; subclasses are responsible for the properties that they add.
open class MoyaProvider<Target: TargetType>: MoyaProviderType, @unchecked Sendable {
    /// Makes the endpoint of a target; `@Sendable` in Swift 6 mode.
    @preconcurrency
    public typealias EndpointClosure = @Sendable (Target) -> Endpoint
    /// Receives the request or an error.
    public typealias RequestResultClosure = @Sendable (Result<URLRequest, MoyaError>) -> Void
    /// Makes the request of an endpoint and passes it on, now or later, from any thread.
    public typealias RequestClosure = @Sendable (Endpoint, @escaping RequestResultClosure) -> Void
    /// Returns the stub behaviour of a target; `@Sendable` in Swift 6 mode.
    @preconcurrency
    public typealias StubClosure = @Sendable (Target) -> StubBehavior

    /// Makes the endpoint of a target, once per call; runs on the caller's thread, or on Swift's if the call is awaited.
    public let endpointClosure: EndpointClosure
    /// Makes the request of an endpoint; runs on the same thread, once per call.
    public let requestClosure: RequestClosure
    /// Returns the stub behaviour of a target; runs on the same thread, once per call.
    public let stubClosure: StubClosure
    /// Performs the requests.
    public let session: Session
    /// Observe and edit the calls, in this order.
    public let plugins: [any PluginType]
    /// `true` if a call joins an equal one that is under way.
    public let trackInflights: Bool

    let callbackQueue: DispatchQueue?
    /// Set only during initialization.
    @exclusivity(unchecked) final var settings = CallSettings.none
    /// `true` if a subclass may have overridden the methods that make calls; set only during initialization.
    final private(set) var isSubclass = false
    /// `true` if a call with nothing to encode needs no endpoint, because no code could see it; set only during
    /// initialization.
    final private(set) var skipsEndpoints = false
    let coalesced = CoalescedCalls()

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint.
    ///   - stubClosure: Returns the stub behaviour of a target.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - session: Performs the requests; a new session by default.
    ///   - plugins: Observe and edit the calls, in this order.
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

    /// Makes a provider that derives endpoints and requests from the properties of its targets.
    ///
    /// - Parameters:
    ///   - stubClosure: Returns the stub behaviour of a target.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - session: Performs the requests; a new session by default.
    ///   - plugins: Observe and edit the calls, in this order.
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

    /// The pending completions of each endpoint, in the order of their calls; empty unless ``trackInflights`` is set.
    open var inflightRequests: [Endpoint: [Completion]] { coalesced.completions }

    /// The endpoint of a target, made by ``endpointClosure``.
    open func endpoint(_ token: Target) -> Endpoint { endpointClosure(token) }

    /// Calls a target and passes the result to a closure.
    ///
    /// - Parameters:
    ///   - target: The target of the call.
    ///   - callbackQueue: The queue of `progress` and `completion`; by default the provider's, else the main queue. If
    ///     neither is set, an immediate stub completes on the calling thread before this method returns. A call whose
    ///     request cannot be made completes on the thread where that becomes known.
    ///   - progress: Called as bytes are transferred and, if a request was made, once more before the completion.
    ///   - completion: Called exactly once.
    /// - Returns: A token that cancels the call.
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

    /// Stubs a call: prepares it, passes it through every plugin, and responds with the endpoint's sample response.
    ///
    /// The provider calls this for every call whose stub behaviour is not `.never`; for `.never` the completion receives
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
        let current = StubbedCall.current
        let stubbed = current?.take(for: target, by: self)
        let pace = stubbed == nil ? nil : current?.pace
        var progress: SendableProgressBlock?
        if let stubbed { progress = { stubbed.relay($0) } }
        let call = ProviderCall(
            target: target, plugins: stubbed?.plugins ?? plugins, queue: callbackQueue,
            progress: progress, consumer: .completion(completion),
            route: stubbed?.route, unsent: stubbed?.unsent, isWhole: false, isStreamed: pace != nil, provider: self)
        let token = CancellableToken { call.cancel() }
        call.stub(request, as: stubBehavior, with: endpoint, in: session, at: pace)
        return token
    }
}
