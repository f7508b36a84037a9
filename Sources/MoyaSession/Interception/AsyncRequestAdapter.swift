#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A request adapter that is written as an `async` function.
///
/// ### Implementation
/// Implement one of the two `async` functions. The forms with a completion are given: they run the function in a task,
/// which is cancelled when the request is cancelled or out of time. An error thrown ends the attempt with
/// ``SessionError/requestAdaptationFailed(error:)``.
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
/// A request that waits for one leaves the caller's thread: a stubbed call that is to complete before `request` returns
/// wants an adapter with a completion.
public protocol AsyncRequestAdapter: RequestAdapter {
    /// Gives the request to send, or throws the reason why none can be; runs once per attempt.
    func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest

    /// The same, with the request that is being prepared; what the session calls.
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
        InterceptionTask.run(for: nil) {
            await Result { try await adapt(urlRequest, for: session) }
        } completion: {
            completion($0)
        }
    }

    /// Runs ``AsyncRequestAdapter/adapt(_:using:)`` in a task that ends with the request.
    public func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        InterceptionTask.run(for: state.request) {
            await Result { try await adapt(urlRequest, using: state) }
        } completion: {
            completion($0)
        }
    }
}
