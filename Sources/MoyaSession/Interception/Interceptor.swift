#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Several adapters and retriers as one interceptor.
///
/// Adapters are called in order, each with the request returned by the previous one; the first failure ends the chain.
/// Retriers are called in order until one returns anything but ``RetryResult/doNotRetry``. A nested interceptor of this
/// class, not of a subclass, is replaced by its own adapters and retriers, so that no depth of nesting exhausts the stack.
///
/// `@unchecked`: all stored properties are constant; a subclass is responsible for its own.
open class Interceptor: RequestInterceptor, @unchecked Sendable {
    /// The adapters in order.
    public let adapters: [any RequestAdapter]
    /// The retriers in order.
    public let retriers: [any RequestRetrier]

    /// The context that a subclass passes to its superclass without knowing it.
    private struct PassedState: Sendable {
        let interceptor: ObjectIdentifier
        let state: RequestAdapterState
    }

    @TaskLocal private static var passed: PassedState?

    /// Makes an interceptor from two closures.
    @preconcurrency
    public init(adaptHandler: @escaping AdaptHandler, retryHandler: @escaping RetryHandler) {
        adapters = [Adapter(adaptHandler)]
        retriers = [Retrier(retryHandler)]
    }

    /// Makes an interceptor from two `async` closures.
    public init(adaptHandler: @escaping AsyncAdaptHandler, retryHandler: @escaping AsyncRetryHandler) {
        adapters = [Adapter(adaptHandler)]
        retriers = [Retrier(retryHandler)]
    }

    /// Makes an interceptor from an adapter and a retrier.
    public init(adapter: any RequestAdapter, retrier: any RequestRetrier) {
        adapters = Self.flat([adapter], \.adapters)
        retriers = Self.flat([retrier], \.retriers)
    }

    /// Makes an interceptor from adapters and retriers, followed by both halves of the interceptors.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = Self.flat(adapters + interceptors, \.adapters)
        self.retriers = Self.flat(retriers + interceptors, \.retriers)
    }

    private static func flat<Element>(_ elements: [Element], _ own: (Interceptor) -> [Element]) -> [Element] {
        elements.flatMap { element in
            guard let nested = element as? Interceptor, type(of: nested) == Interceptor.self else { return [element] }
            return own(nested)
        }
    }

    /// Calls the adapters.
    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        guard let passed = Self.passed, passed.interceptor == ObjectIdentifier(self), passed.state.session === session
        else { return adapt(urlRequest, for: session, nil, completion) }
        adapt(urlRequest, for: session, passed.state, completion)
    }

    /// Calls the adapters, for the session.
    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        guard type(of: self) != Interceptor.self else {
            return adapt(urlRequest, for: state.session, state, completion)
        }
        // Through the other form, for a subclass that overrides it.
        Self.$passed.withValue(PassedState(interceptor: ObjectIdentifier(self), state: state)) {
            adapt(urlRequest, for: state.session, completion: completion)
        }
    }

    private func adapt(
        _ urlRequest: URLRequest, for session: Session, _ state: RequestAdapterState?,
        _ completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        AdaptationChain(
            count: adapters.count, adapter: { [adapters] in adapters[$0] }, session: session, state: state,
            completion: completion
        ).run(urlRequest)
    }

    /// Calls the retriers.
    @preconcurrency
    open func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        RetryChain(retriers: retriers, request: request, session: session, error: error, completion: completion).run()
    }
}

extension RequestInterceptor where Self == Interceptor {
    /// An interceptor that changes nothing and retries nothing.
    public static var interceptor: Interceptor { Interceptor() }

    /// An interceptor made from two closures.
    @preconcurrency
    public static func interceptor(
        adaptHandler: @escaping AdaptHandler, retryHandler: @escaping RetryHandler
    ) -> Interceptor {
        Interceptor(adaptHandler: adaptHandler, retryHandler: retryHandler)
    }

    /// An interceptor made from two `async` closures.
    public static func interceptor(
        adaptHandler: @escaping AsyncAdaptHandler, retryHandler: @escaping AsyncRetryHandler
    ) -> Interceptor {
        Interceptor(adaptHandler: adaptHandler, retryHandler: retryHandler)
    }

    /// An interceptor made from two closures, with the labels of Alamofire.
    @preconcurrency
    public static func interceptor(
        adapter: @escaping AdaptHandler, retrier: @escaping RetryHandler
    ) -> Interceptor {
        Interceptor(adaptHandler: adapter, retryHandler: retrier)
    }

    /// An interceptor made from an adapter and a retrier.
    public static func interceptor(adapter: any RequestAdapter, retrier: any RequestRetrier) -> Interceptor {
        Interceptor(adapter: adapter, retrier: retrier)
    }

    /// An interceptor made from adapters and retriers, followed by both halves of the interceptors.
    public static func interceptor(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) -> Interceptor {
        Interceptor(adapters: adapters, retriers: retriers, interceptors: interceptors)
    }
}
