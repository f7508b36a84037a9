import MoyaTransport

/// Passes the limits of a call through a subclass's `request`, whose parameters do not include them.
final class PassedLimits: Sendable {
    @TaskLocal static var current: PassedLimits?

    private let provider: ObjectIdentifier
    private let target: any TargetType
    private let limits: Lock<CallLimits?>

    init(_ limits: CallLimits, for target: any TargetType, of provider: AnyObject) {
        self.provider = ObjectIdentifier(provider)
        self.target = target
        self.limits = Lock(limits)
    }

    /// Returns the limits, once, to the provider of the call; `nil` for the calls that it or others make meanwhile.
    ///
    /// For another location the limits are returned and kept, because an override may have changed the target.
    func take(for target: any TargetType, of provider: AnyObject) -> CallLimits? {
        guard ObjectIdentifier(provider) == self.provider else { return nil }
        let isSame = self.target.isAtLocation(of: target)
        return limits.withLock { isSame ? $0.take() : $0 }
    }
}

extension TargetType {
    /// `true` if two targets have the same URL and method.
    func isAtLocation(of other: any TargetType) -> Bool {
        path == other.path && method == other.method && baseURL == other.baseURL
    }
}
