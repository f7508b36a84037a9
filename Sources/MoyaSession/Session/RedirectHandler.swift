import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Decides about a redirect.
///
/// ### Do I need this?
/// Use it to stop at a redirect, or to change the next request. Without a handler, redirects follow RFC 9110: at most
/// 20 of them, never from `https` to `http`, and without credential fields (``CredentialPolicy``) to another origin.
///
/// ### Use
/// Pass a ``Redirector`` to a session or to a request: `.follow`, `.doNotFollow` or `.modify { _, request, _ in … }`. A
/// request's handler overrides its session's.
@preconcurrency
public protocol RedirectHandler: Sendable {
    /// Passes the next request to the completion, or `nil` to end with the redirect response, which is not an error.
    ///
    /// Call `completion` exactly once, from any thread, at any time. Further calls are ignored. Without a call, the
    /// request waits until its deadline.
    ///
    /// Called also for a redirect that is not followed: from `https` to `http`, to another scheme such as `myapp:`, in a
    /// circle, or after 20 others. `nil` then also ends with the response. A request whose URL no longer has the reason
    /// for the refusal is sent, except after 20 redirects and with a body that can be read only once; any other one ends
    /// with the error that the redirect has without a handler.
    ///
    /// - Parameters:
    ///   - task: The request that is redirected.
    ///   - request: The next request, without the fields that are not for the origin to which the server redirects.
    ///     Fields added by the handler are sent to any origin; a credential field of this request that is unchanged is not,
    ///     if the handler changes the origin.
    ///   - response: The redirect response.
    ///   - completion: Receives the next request.
    @preconcurrency
    func task(
        _ task: Request, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
        completion: @escaping @Sendable (URLRequest?) -> Void)
}

extension Request {
    /// Sets the handler of this request's redirects, which overrides the session's; the last one set counts.
    ///
    /// The handler is called on the session's root queue; with a transport whose `deliversWhereCodeMayBlock` is `true`,
    /// on the thread that delivers the response.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        replace(\.redirectHandler, with: handler)
        return self
    }
}
