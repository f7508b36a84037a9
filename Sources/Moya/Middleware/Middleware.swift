/// A step that the calls of a provider pass through: it may wait, change the request, answer by itself, call again or
/// refuse.
///
/// ### Do I need one?
/// For what decides whether, when and how often a call is made: ``WaitForConnectivity``, ``SessionRefresh`` and ``Retry`` are
/// middleware. To watch and edit what is sent, a ``PluginType`` is enough.
///
/// ### Use
/// Give it to a provider. The first middleware of the list is the outermost: it sees a call first and its end last.
///
///     let provider = MoyaProvider<MyAPI>(middleware: [
///         .waitForConnectivity(),
///         .tokenRefresh(tokens: tokens, tokenURL: tokenURL, clientID: "app", onLogOut: showLogin),
///         .retry(attempts: 3),
///     ])
///
/// A call passes, in this order:
///
///     endpointClosure, stubClosure, trackInflights, requestClosure     once per call
///     the middleware before a Retry, outermost first                   once per call
///     Retry
///     the middleware after it                                          once per attempt
///     session's adapters, plugins' prepare and willSend, transport, validation, session's retriers,
///     plugins' didReceive and process                                  once per attempt
///
/// and its end goes back the same way. ``Plugins`` in the list gives the plugins another place.
///
/// ### Writing a middleware
/// It is one method. Pass the call on with `next`, and what `next` returns or throws is how it ended:
///
///     struct Timing: Middleware {
///         func intercept(_ call: Call, next: Next) async throws(MoyaError) -> Response {
///             let start = ContinuousClock.now
///             defer { print(call.target, ContinuousClock.now - start) }
///             return try await next(call)
///         }
///     }
///
/// A middleware may change ``Call/request``, return its own response without calling `next`, or call `next` again with
/// ``Call/again()``. It waits with ``Call/wait(for:)``, so that tests need not.
///
/// Without a `validationType` every status code is a response, so that a middleware that looks for a 503 looks at both the
/// response and `MoyaError.response`.
///
/// ### Errors
/// A `MoyaError`: the error of `next`, or `.underlying` around another error. Once its task is cancelled it should end
/// soon, with ``MoyaError/cancelled``; ``Call/wait(for:)`` and `next` do so by themselves.
///
/// ### Execution
/// In the task that awaits the call, or in the one task that is made for a call with a completion: cancelling the call
/// cancels that task. Many calls pass through a middleware at once.
public protocol Middleware: Sendable {
    /// Takes a call on its way in, and gives its end on the way out.
    ///
    /// - Parameters:
    ///   - call: The target, the request and how long they may take.
    ///   - next: The middleware after this one and, last, the session.
    /// - Throws: `MoyaError`.
    func intercept(_ call: Call, next: Next) async throws(MoyaError) -> Response
}
