import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Watches and edits the calls of a provider.
///
/// ### Do I need this?
/// For what holds for every call of a provider: logging, an indicator, a token. To decide whether a call is made at
/// all, compose providers.
///
/// ### Order of the methods
/// ``prepare(_:target:)`` and ``willSend(_:target:)`` once per attempt, on the thread that starts the call, after the
/// session's adapters. ``didReceive(_:target:)`` and ``process(_:target:)`` once per call, on the callback queue, or in
/// the task that awaits the call. Every plugin's `didReceive` runs before any plugin's `process`.
@preconcurrency
public protocol PluginType: Sendable {
    /// Gives the request to send.
    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest

    /// Learns that a request is about to be sent.
    func willSend(_ request: any RequestType, target: any TargetType)

    /// Learns how a call ended, cancelled ones too.
    func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType)

    /// Gives the result that the caller gets.
    func process(
        _ result: Result<Response, MoyaError>, target: any TargetType
    ) -> Result<Response, MoyaError>
}

extension PluginType {
    /// Leaves the request as it is.
    public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest { request }
    /// Does nothing.
    public func willSend(_ request: any RequestType, target: any TargetType) {}
    /// Does nothing.
    public func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {}
    /// Leaves the result as it is.
    public func process(
        _ result: Result<Response, MoyaError>, target: any TargetType
    ) -> Result<Response, MoyaError> { result }
}
