/// A step in a provider's calls: it may wait, change the request, return its own response, call again or fail.
///
/// ### Do I need one?
/// Use a middleware to decide whether, when and how often a call is made: ``WaitForConnectivity``, ``SessionRefresh``
/// and ``RetryMiddleware`` are middleware. To observe and edit requests and results, a ``PluginType`` is sufficient.
///
/// ### Use
/// Pass it to a provider. The first middleware of the list is the outermost: it sees a call first and its result last.
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
///     the middleware before RetryMiddleware, outermost first           once per call
///     RetryMiddleware
///     the middleware after it                                          once per attempt
///     session's adapters, plugins' prepare and willSend, transport, validation, session's retriers,
///     plugins' didReceive and process                                  once per attempt
///
/// The result goes back in reverse order. ``PluginsMiddleware`` in the list changes the position of the plugins.
///
/// ### Writing a middleware
/// Implement one method. Pass the call on with `next`, which returns or throws the result:
///
///     struct Timing: MoyaMiddleware {
///         func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
///             let start = ContinuousClock.now
///             defer { print(call, ContinuousClock.now - start) }
///             return try await next(call)
///         }
///     }
///
/// A middleware may change ``MiddlewareCall/request``, return its own response without calling `next`, or call `next`
/// again with ``MiddlewareCall/again()``. Wait with ``MiddlewareCall/wait(for:)``, so that tests do not wait.
///
/// Without a `validationType`, every status code is a response. A middleware that handles a 503 must therefore check
/// both the response and `MoyaError.response`.
///
/// ### Errors
/// Throw a `MoyaError`: the error of `next`, or `.underlying` around another error. Once its task is cancelled, the
/// method should end soon with ``MoyaError/cancelled``; ``MiddlewareCall/wait(for:)`` and `next` do so automatically. A
/// call with a completion then ends without it, once no attempt is under way; an awaited call waits for it, unless it
/// has a total deadline.
///
/// ### Execution
/// The method runs in the task that awaits the call, or in the single task of a call with a completion: cancelling the
/// call cancels that task. Many calls pass through a middleware concurrently.
public protocol MoyaMiddleware: Sendable {
    /// Handles a call, and returns its response.
    ///
    /// - Parameters:
    ///   - call: The target, the request and the time limits.
    ///   - next: The inner middleware and, last, the session.
    /// - Throws: `MoyaError`.
    func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response
}
