import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Decides what becomes of a redirect that the engine would follow.
///
/// ### Do I need this?
/// To stop at a redirect, or to change what is sent next. With no handler a redirect is followed by the rules of
/// RFC 9110: at most 20 of them, never from `https` to `http`, and with no field that holds a credential
/// (``CredentialPolicy``) to another origin.
///
/// ### Use
/// Give a ``Redirector`` to a session or to a request: `.follow`, `.doNotFollow` or `.modify { _, request, _ in … }`.
/// A request's handler wins over its session's.
@preconcurrency
public protocol RedirectHandler: Sendable {
    /// Gives the request to send next, or `nil` to end with the redirect response itself, which is no error.
    ///
    /// Called only for a redirect that may be followed. Call `completion` exactly once, from any thread, now or later;
    /// a second call is passed over, and a call that never comes leaves the request to its own deadline.
    ///
    /// - Parameters:
    ///   - task: The request that is redirected.
    ///   - request: The next request, without the fields that are not for another origin. Fields that a handler adds to
    ///     it are sent wherever it leads.
    ///   - response: The redirect response.
    ///   - completion: Takes what is to be sent.
    @preconcurrency
    func task(
        _ task: Request, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
        completion: @escaping @Sendable (URLRequest?) -> Void)
}

extension Request {
    /// Decides about every redirect of this request, in place of the session's handler; the last one given counts.
    ///
    /// The handler is called on the session's root queue.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        mutableState.withLock { $0.redirectHandler = handler }
        return self
    }
}
