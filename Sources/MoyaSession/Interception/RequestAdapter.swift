public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Changes a `URLRequest` before it is sent.
///
/// ### Do I need this?
/// To change what every request of a session sends: a header, a signature. To decide whether a call is made at all, or
/// to watch calls, use a plugin.
///
/// ### Implementation
/// Implement ``adapt(_:for:completion:)`` and call `completion` exactly once, from any thread, now or later. A second
/// call is passed over; a call that never comes leaves the request to its own deadline.
@preconcurrency
public protocol RequestAdapter: Sendable {
    /// Gives the request to send, or the reason why none can be.
    ///
    /// Runs once per attempt, on the caller's thread or on the session's `requestQueue` when it was given one. A failure
    /// ends the attempt with ``SessionError/requestAdaptationFailed(error:)``.
    @preconcurrency
    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

    /// The same, with the request that is being prepared; what the session calls.
    @preconcurrency
    func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)
}

extension RequestAdapter {
    /// Calls ``RequestAdapter/adapt(_:for:completion:)``.
    @preconcurrency
    public func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        adapt(urlRequest, for: state.session, completion: completion)
    }
}

/// The context of an adapter beside the `URLRequest`.
public struct RequestAdapterState: Sendable {
    /// The request that is being prepared.
    public let request: Request
    /// The session that it belongs to.
    public let session: Session

    /// The identity of the request.
    public var requestID: UUID { request.id }
}
