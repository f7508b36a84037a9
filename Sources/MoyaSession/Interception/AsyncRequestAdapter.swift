#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A request adapter as an `async` function.
///
/// ### Implementation
/// Implement one of the two `async` functions. The forms with a completion have default implementations: they run the
/// function in a task, which is cancelled if the request is cancelled or exceeds its deadline. A thrown error ends the
/// attempt with ``SessionError/requestAdaptationFailed(error:)``.
///
/// ```swift
/// struct Signing: AsyncRequestAdapter {
///     let signer: Signer  // an actor
///
///     func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest {
///         var signed = urlRequest
///         signed.setValue(try await signer.signature(of: urlRequest), forHTTPHeaderField: "Signature")
///         return signed
///     }
/// }
/// ```
///
/// A request that awaits such an adapter leaves the caller's thread: for a stubbed call that must complete before
/// `request` returns, use an adapter with a completion.
public protocol AsyncRequestAdapter: RequestAdapter {
    /// Returns the request to send, or throws the reason that there is none; runs once per attempt.
    func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest

    /// Returns the request to send, with access to the request being prepared; called by the session.
    func adapt(_ urlRequest: URLRequest, using state: RequestAdapterState) async throws -> URLRequest
}

extension AsyncRequestAdapter {
    /// Calls ``AsyncRequestAdapter/adapt(_:for:)``.
    public func adapt(_ urlRequest: URLRequest, using state: RequestAdapterState) async throws -> URLRequest {
        try await adapt(urlRequest, for: state.session)
    }

    /// Runs ``AsyncRequestAdapter/adapt(_:for:)`` in a task.
    public func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        InterceptionTask.run(for: nil, completion) { try await adapt(urlRequest, for: session) }
    }

    /// Runs ``AsyncRequestAdapter/adapt(_:using:)`` in a task that ends with the request.
    public func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        InterceptionTask.run(for: state.request, completion) { try await adapt(urlRequest, using: state) }
    }
}
