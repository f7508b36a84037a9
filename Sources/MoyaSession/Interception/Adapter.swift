#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Changes a `URLRequest` and calls the completion once; see ``RequestAdapter``.
public typealias AdaptHandler =
    @Sendable (URLRequest, Session, _ completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void) -> Void

/// Changes a `URLRequest`, or throws the reason that it cannot be sent; see ``AsyncRequestAdapter``.
public typealias AsyncAdaptHandler = @Sendable (URLRequest, Session) async throws -> URLRequest

/// A request adapter made from a closure; it retries nothing.
///
/// ```swift
/// let adapter = Adapter { urlRequest, session, completion in
///     var adapted = urlRequest
///     adapted.setValue("1", forHTTPHeaderField: "X-Version")
///     completion(.success(adapted))
/// }
/// ```
///
/// `@unchecked`: all stored properties are constant; a subclass is responsible for its own.
open class Adapter: RequestInterceptor, @unchecked Sendable {
    private enum Handler {
        case completing(AdaptHandler)
        case async(AsyncAdaptHandler)
    }

    private let handler: Handler

    /// Makes an adapter from a closure, which runs once per attempt, where ``RequestAdapter`` documents.
    @preconcurrency
    public init(_ adaptHandler: @escaping AdaptHandler) { handler = .completing(adaptHandler) }

    /// Makes an adapter from an `async` closure, which runs once per attempt, in a task that ends with the request.
    public init(_ adaptHandler: @escaping AsyncAdaptHandler) { handler = .async(adaptHandler) }

    /// Calls the closure.
    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        adapt(urlRequest, of: nil, for: session, completion: completion)
    }

    /// Calls the closure, for the session.
    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        // Through the other form if possible, for a subclass that overrides it.
        guard case .async = handler else { return adapt(urlRequest, for: state.session, completion: completion) }
        adapt(urlRequest, of: state.request, for: state.session, completion: completion)
    }

    private func adapt(
        _ urlRequest: URLRequest, of request: Request?, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        switch handler {
        case .completing(let adapt): adapt(urlRequest, session, completion)
        case .async(let adapt):
            InterceptionTask.run(for: request, completion) { try await adapt(urlRequest, session) }
        }
    }
}

extension RequestAdapter where Self == Adapter {
    /// An adapter made from a closure.
    @preconcurrency
    public static func adapter(using adaptHandler: @escaping AdaptHandler) -> Adapter { Adapter(adaptHandler) }

    /// An adapter made from an `async` closure.
    public static func adapter(using adaptHandler: @escaping AsyncAdaptHandler) -> Adapter { Adapter(adaptHandler) }
}
