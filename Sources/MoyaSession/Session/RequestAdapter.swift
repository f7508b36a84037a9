public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Changes a `URLRequest` before it is sent.
///
/// ### Do I need this?
/// Use it to change every request of a session: a header, a signature. To decide whether a call is made, use a
/// middleware; to observe calls, a plugin.
///
/// ### Implementation
/// Implement ``adapt(_:for:completion:)`` and call `completion` exactly once, from any thread, at any time. Further
/// calls are ignored. Without a call, the request waits until its deadline.
@preconcurrency
public protocol RequestAdapter: Sendable {
    /// Passes the request to send, or the reason that there is none, to the completion.
    ///
    /// Runs once per attempt, on the thread that starts the attempt, or, unless stubbed, on the session's `requestQueue`
    /// if it has one; after another adapter, on the thread where that one completed. A failure ends the attempt with
    /// ``SessionError/requestAdaptationFailed(error:)``.
    @preconcurrency
    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

    /// Passes on the request to send, with access to the request being prepared; called by the session.
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

/// The context of an adapter, in addition to the `URLRequest`.
public struct RequestAdapterState: Sendable {
    /// The request being prepared.
    public let request: Request
    /// The session of the request.
    public let session: Session

    /// The identity of the request.
    public var requestID: UUID { request.id }
}
