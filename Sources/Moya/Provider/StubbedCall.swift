import MoyaTransport

/// Passes a call to a subclass's `stubRequest`, whose parameters do not include it.
final class StubbedCall: Sendable {
    @TaskLocal static var current: StubbedCall?

    /// The pace of a streamed stub; `nil` for a sample that is delivered whole.
    let pace: SamplePace?
    private let target: any TargetType
    private let provider: ObjectIdentifier
    private let call: Lock<ProviderCall?>

    init(_ call: ProviderCall, of target: any TargetType, by provider: AnyObject, at pace: SamplePace? = nil) {
        self.pace = pace
        self.target = target
        self.provider = ObjectIdentifier(provider)
        self.call = Lock(call)
    }

    /// Returns, once, the call that a stub of a target answers; the endpoint may be another than the call's.
    func take(for target: any TargetType, by provider: AnyObject) -> ProviderCall? {
        guard ObjectIdentifier(provider) == self.provider, self.target.isAtLocation(of: target) else { return nil }
        return call.withLock { $0.take() }
    }
}

extension TargetType {
    /// `true` if two targets have the same URL and method.
    fileprivate func isAtLocation(of other: any TargetType) -> Bool {
        path == other.path && method == other.method && baseURL == other.baseURL
    }
}
