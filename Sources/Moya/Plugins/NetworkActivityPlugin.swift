/// The begin or the end of a request.
public enum NetworkActivityChangeType: Sendable, Hashable {
    /// A request is about to be sent.
    case began
    /// A call is over.
    case ended
}

/// Reports the begin and the end of requests, for an activity indicator.
public final class NetworkActivityPlugin: PluginType {
    /// Learns of a change; runs where plugins run.
    public typealias NetworkActivityClosure =
        @Sendable (_ change: NetworkActivityChangeType, _ target: any TargetType) -> Void

    private let networkActivityClosure: NetworkActivityClosure

    /// Makes a plugin.
    @preconcurrency
    public init(networkActivityClosure: @escaping NetworkActivityClosure) {
        self.networkActivityClosure = networkActivityClosure
    }

    /// Reports that a request begins; again for each further attempt.
    public func willSend(_ request: any RequestType, target: any TargetType) { networkActivityClosure(.began, target) }

    /// Reports that a call is over, also one that was cancelled before it began.
    public func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
        networkActivityClosure(.ended, target)
    }
}
