import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Observes and edits the calls of a provider.
///
/// ### Do I need this?
/// Use a plugin for behaviour of every call of a provider: logging, an indicator, a token. To decide whether a call is
/// made, use a ``MoyaMiddleware``.
///
/// ### Order of the methods
/// ``prepare(_:target:)`` and ``willSend(_:target:)`` run once per attempt, after the session's adapters: on the thread
/// that starts the attempt, or, unless stubbed, on the session's `requestQueue` if it has one; after an adapter, on the
/// adapter's thread. ``didReceive(_:target:)`` and ``process(_:target:)`` run once per call, or with middleware once per
/// attempt: on the callback queue, in the task that awaits the call, or with middleware in the call's task. If the
/// request closure passes an error or the task cannot be encoded, only ``process(_:target:)`` runs; if the call is
/// cancelled before the request closure has answered, also ``didReceive(_:target:)``: both on the thread where that
/// becomes known. A call that is stopped between two attempts is only processed once more. Every plugin's `didReceive` runs
/// before any plugin's `process`.
@preconcurrency
public protocol PluginType: Sendable {
    /// Returns the request to send.
    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest

    /// Observes that a request is about to be sent.
    func willSend(_ request: any RequestType, target: any TargetType)

    /// Observes the result of a call, including cancellation.
    func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType)

    /// Returns the result for the caller.
    func process(
        _ result: Result<Response, MoyaError>, target: any TargetType
    ) -> Result<Response, MoyaError>
}

extension PluginType {
    /// Returns the request unchanged.
    public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest { request }
    /// Does nothing.
    public func willSend(_ request: any RequestType, target: any TargetType) {}
    /// Does nothing.
    public func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {}
    /// Returns the result unchanged.
    public func process(
        _ result: Result<Response, MoyaError>, target: any TargetType
    ) -> Result<Response, MoyaError> { result }
}
