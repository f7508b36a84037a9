import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The place of a provider's plugins among its middleware.
///
///     MoyaProvider<MyAPI>(middleware: [Plugins(), Retry(attempts: 3)], plugins: [activity])
///
/// Without it the plugins come after every middleware, and see each attempt: they prepare what is sent, after the
/// session's adapters. Where it stands before ``Retry`` they see the call instead: `prepare` and `willSend` run once,
/// before the session's adapters, and `didReceive` and `process` once, with the end of the last attempt. Changes that
/// `willSend` makes to the request apply to every attempt.
///
/// Only the first of several in one array counts.
public struct Plugins: Middleware {
    /// Makes the place.
    public init() {}

    /// Passes the call by the plugins.
    public func intercept(_ call: Call, next: Next) async throws(MoyaError) -> Response {
        guard let context = call.plugins, call.impending == nil else { return try await next(call) }
        var call = call
        call.request = context.plugins.reduce(call.request) { $1.prepare($0, target: context.target) }
        let impending = UnsentRequest(call.request, in: context.session)
        for plugin in context.plugins { plugin.willSend(impending, target: context.target) }
        call.impending = impending
        let result: Result<Response, MoyaError>
        do {
            result = .success(try await next(call))
        } catch {
            result = .failure(error)
        }
        for plugin in context.plugins { plugin.didReceive(result, target: context.target) }
        return try context.plugins.process(result, target: context.target).get()
    }
}

/// The parts of the provider that the plugins' place needs.
struct PluginContext: Sendable {
    let plugins: [any PluginType]
    /// As it was given to the provider, which is how plugins have always got it.
    let target: any TargetType
    let session: Session
}
