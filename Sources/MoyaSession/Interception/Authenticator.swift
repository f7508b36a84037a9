#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A credential: a token, a pair of tokens, a signing key.
@preconcurrency
public protocol AuthenticationCredential: Sendable {
    /// `true` if the credential must be refreshed before it is used again; for one that expires, shortly before its
    /// expiry.
    ///
    /// Called for each attempt, on the thread that prepares it, and again if the credential changes meanwhile.
    var requiresRefresh: Bool { get }
}

/// Applies and refreshes one kind of credential, for an ``AuthenticationInterceptor``.
///
/// Every function may be called from any thread, and concurrently, except ``refresh(_:for:completion:)``, which is
/// called one at a time.
@preconcurrency
public protocol Authenticator: AnyObject, Sendable {
    /// The type of the credential.
    associatedtype Credential: AuthenticationCredential

    /// Adds the credential to a request, for example in its `Authorization` field.
    ///
    /// The fields that it sets are dropped on a redirect to another origin. To find them, an interceptor also applies
    /// the first credential to a copy without fields, which is not sent.
    func apply(_ credential: Credential, to urlRequest: inout URLRequest)

    /// Obtains a new credential, and calls the completion once, from any thread, at any time.
    ///
    /// It runs on a queue of the interceptor. Meanwhile no other refresh starts, and requests that need the credential
    /// wait; a failure fails all of them. Releasing the completion without a call is a failure:
    /// ``UnansweredRefreshError``.
    ///
    /// Request the new credential with `session`, or with any other session with the same interceptor. A request made
    /// in this function, on its thread or in a `Task` created there, is part of the refresh: it is sent unchanged
    /// without the credential, does not wait for the refresh, and if it is refused, the refresh fails. A redirect to
    /// another origin, which must not get the credential in the body, is not followed: the request ends with it. A
    /// request made after a hop to another queue is not recognized, and would wait for itself until its deadline: make
    /// it before the hop, in a `Task`, or with another session.
    @preconcurrency
    func refresh(
        _ credential: Credential, for session: Session,
        completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)

    /// `true` if a request failed because the server refused its credential; usually if the status is 401.
    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool

    /// `true` if a request was sent with this credential; if not, the current credential was not refused, and is used
    /// for a retry.
    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}

/// An authenticator with an `async` refresh.
public protocol AsyncAuthenticator: Authenticator {
    /// Obtains a new credential, or throws.
    ///
    /// Its task belongs to no request: cancelling the request that started the refresh does not cancel it. The rules of
    /// ``Authenticator/refresh(_:for:completion:)`` for requests apply to everything that this function awaits, and to
    /// tasks that it creates, but not to detached tasks.
    func refresh(_ credential: Credential, for session: Session) async throws -> Credential
}

extension AsyncAuthenticator {
    /// Runs ``AsyncAuthenticator/refresh(_:for:)`` in a task.
    public func refresh(
        _ credential: Credential, for session: Session,
        completion: @escaping @Sendable (Result<Credential, any Error>) -> Void
    ) {
        InterceptionTask.run(for: nil, completion) { [self] in try await refresh(credential, for: session) }
    }
}
