import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The position of a provider's plugins among its middleware.
///
///     MoyaProvider<MyAPI>(middleware: [.plugins, .retry(attempts: 3)], plugins: [activity])
///
/// By default, the plugins run inside all middleware, after the session's adapters, and see each attempt. Before
/// ``RetryMiddleware``, they see the call instead: `prepare` and `willSend` run once, before the session's adapters,
/// and `didReceive` and `process` once, with the result of the last attempt. Changes that `willSend` makes to the
/// request apply to every attempt.
///
/// Only the first one in an array counts.
public struct PluginsMiddleware: MoyaMiddleware {
    /// Makes the position.
    public init() {}

    /// Runs the plugins around the call.
    public func intercept(_ call: MiddlewareCall, next: NextMiddleware) async throws(MoyaError) -> Response {
        guard let context = call.plugins, let around = context.around, call.unsent == nil else {
            return try await next(call)
        }
        var call = call
        let isUnderWay = around.begin {
            call.request = context.plugins.prepare(call.request, target: context.target)
            let unsent = UnsentRequest(call.request, in: context.session)
            for plugin in context.plugins { plugin.willSend(unsent, target: context.target) }
            call.unsent = unsent
        }
        guard isUnderWay else { throw .cancelled }
        let result: Result<Response, MoyaError>
        do {
            result = .success(try await next(call))
        } catch {
            result = .failure(error)
        }
        return try around.process(result).get()
    }
}

/// The parts of the provider that the plugins' position needs.
struct PluginContext: Sendable {
    let plugins: [any PluginType]
    /// The target as passed to the provider, which is the one that plugins receive.
    let target: any TargetType
    let session: Session
    /// `nil` if the plugins run inside all middleware.
    let around: Around?

    /// The beginning and the end of plugins that run around a call.
    struct Around: Sendable {
        /// Notifies the plugins of the request, unless the call was stopped; `false` if it has been by then.
        let begin: @Sendable (_ notify: () -> Void) -> Bool
        /// Notifies the plugins of a result, and returns what they make of it.
        let process: @Sendable (Result<Response, MoyaError>) -> Result<Response, MoyaError>
    }
}
