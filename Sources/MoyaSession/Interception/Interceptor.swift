#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Several adapters and retriers as one interceptor.
///
/// Adapters are called one after another, each with the request of the one before; the first failure ends it. Retriers
/// are called one after another until one answers anything but ``RetryResult/doNotRetry``.
///
/// `@unchecked`: everything stored here is constant; a subclass answers for what it adds.
open class Interceptor: RequestInterceptor, @unchecked Sendable {
    /// The adapters, in the order in which they are called.
    public let adapters: [any RequestAdapter]
    /// The retriers, in the order in which they are called.
    public let retriers: [any RequestRetrier]

    /// Makes an interceptor of two closures.
    @preconcurrency
    public init(adaptHandler: @escaping AdaptHandler, retryHandler: @escaping RetryHandler) {
        adapters = [Adapter(adaptHandler)]
        retriers = [Retrier(retryHandler)]
    }

    /// Makes an interceptor of two `async` closures.
    public init(adaptHandler: @escaping AsyncAdaptHandler, retryHandler: @escaping AsyncRetryHandler) {
        adapters = [Adapter(adaptHandler)]
        retriers = [Retrier(retryHandler)]
    }

    /// Makes an interceptor of an adapter and a retrier.
    public init(adapter: any RequestAdapter, retrier: any RequestRetrier) {
        adapters = [adapter]
        retriers = [retrier]
    }

    /// Makes an interceptor of adapters and retriers; both halves of the interceptors come after them.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
    }

    /// Calls the adapters.
    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        AdaptationChain<any Error>(
            adapters: adapters, occasion: .session(session), wrapping: { $0 }, completion: completion
        ).run(urlRequest)
    }

    /// Calls the adapters; the session's entry.
    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        AdaptationChain<any Error>(
            adapters: adapters, occasion: .request(state), wrapping: { $0 }, completion: completion
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
    /// An interceptor that adapts nothing and retries nothing.
    public static var interceptor: Interceptor { Interceptor() }

    /// An interceptor of two closures.
    @preconcurrency
    public static func interceptor(
        adaptHandler: @escaping AdaptHandler, retryHandler: @escaping RetryHandler
    ) -> Interceptor {
        Interceptor(adaptHandler: adaptHandler, retryHandler: retryHandler)
    }

    /// An interceptor of two `async` closures.
    public static func interceptor(
        adaptHandler: @escaping AsyncAdaptHandler, retryHandler: @escaping AsyncRetryHandler
    ) -> Interceptor {
        Interceptor(adaptHandler: adaptHandler, retryHandler: retryHandler)
    }

    /// An interceptor of an adapter and a retrier.
    public static func interceptor(adapter: any RequestAdapter, retrier: any RequestRetrier) -> Interceptor {
        Interceptor(adapter: adapter, retrier: retrier)
    }

    /// An interceptor of adapters and retriers; both halves of the interceptors come after them.
    public static func interceptor(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) -> Interceptor {
        Interceptor(adapters: adapters, retriers: retriers, interceptors: interceptors)
    }
}
