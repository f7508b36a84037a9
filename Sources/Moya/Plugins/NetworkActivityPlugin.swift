/// The start or the end of a request.
public enum NetworkActivityChangeType: Sendable, Hashable {
    /// A request is about to be sent.
    case began
    /// A call has ended.
    case ended
}

/// Reports the start and the end of requests, for an activity indicator.
public final class NetworkActivityPlugin: PluginType {
    /// Receives a change; runs where plugins run.
    @preconcurrency
    public typealias NetworkActivityClosure =
        @Sendable (_ change: NetworkActivityChangeType, _ target: any TargetType) -> Void

    private let networkActivityClosure: NetworkActivityClosure

    /// Makes a plugin.
    @preconcurrency
    public init(networkActivityClosure: @escaping NetworkActivityClosure) {
        self.networkActivityClosure = networkActivityClosure
    }

    /// Reports the start of a request, for each attempt.
    public func willSend(_ request: any RequestType, target: any TargetType) { networkActivityClosure(.began, target) }

    /// Reports the end of a call, also if it was cancelled before it started.
    public func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
        networkActivityClosure(.ended, target)
    }
}
