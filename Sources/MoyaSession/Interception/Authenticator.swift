#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A proof of the caller's identity: a token, a pair of them, a signing key.
@preconcurrency
public protocol AuthenticationCredential: Sendable {
    /// `true` if the credential is to be refreshed before it is used again; for one that expires, a little before it
    /// does.
    ///
    /// Called once per attempt, on the thread that prepares it, and with no lock held.
    var requiresRefresh: Bool { get }
}

/// Applies and refreshes one kind of credential, for an ``AuthenticationInterceptor``.
///
/// Every function may be called from any thread, and several at the same time, but for
/// ``refresh(_:for:completion:)``: of that, one call at a time.
@preconcurrency
public protocol Authenticator: AnyObject, Sendable {
    /// The credential that is applied and refreshed.
    associatedtype Credential: AuthenticationCredential

    /// Adds the credential to a request, such as in its `Authorization` field.
    func apply(_ credential: Credential, to urlRequest: inout URLRequest)

    /// Gets a new credential, and calls the completion once, from any thread, now or later.
    ///
    /// Runs on a queue of the interceptor's own. While it is under way no other refresh is begun, and requests that
    /// need the credential wait; a failure fails them all at once. A completion that is released uncalled is a failure:
    /// ``UnansweredRefreshError``.
    ///
    /// The request that gets the new credential may be made with `session`, or with any other that has the same
    /// interceptor: one that is made in this function, on the thread it is called on or in a `Task` begun there, is
    /// part of the refresh. It is sent as it is, without the credential, it does not wait for the refresh, and should
    /// it be refused then so is the refresh. A request made after a hop to another queue cannot be told from others and
    /// would wait for itself until its time is out: make it before the hop, in a `Task`, or with another session.
    @preconcurrency
    func refresh(
        _ credential: Credential, for session: Session,
        completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)

    /// `true` if a request failed because the server did not accept its credential; mostly, if the status is 401.
    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool

    /// `true` if a request was sent with this credential; if not, the present one was not refused, and is tried.
    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}

/// An authenticator whose refresh is written as an `async` function.
public protocol AsyncAuthenticator: Authenticator {
    /// Gets a new credential, or throws the error that prevented it.
    ///
    /// The task it runs in belongs to no request: cancelling the one that needed the refresh first does not cancel it.
    /// The rules of ``Authenticator/refresh(_:for:completion:)`` for requests made within hold for all that this
    /// function awaits, and for tasks it begins, but not for detached ones.
    func refresh(_ credential: Credential, for session: Session) async throws -> Credential
}

extension AsyncAuthenticator {
    /// Runs ``AsyncAuthenticator/refresh(_:for:)`` in a task.
    public func refresh(
        _ credential: Credential, for session: Session,
        completion: @escaping @Sendable (Result<Credential, any Error>) -> Void
    ) {
        InterceptionTask.run(for: nil) { [self] in
            await Result { try await refresh(credential, for: session) }
        } completion: {
            completion($0)
        }
    }
}
