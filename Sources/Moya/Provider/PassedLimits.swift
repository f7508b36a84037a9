/// Passes the limits of a call through a subclass's `request`, whose parameters do not include them.
///
/// They are those of every call that the override makes by the same provider, as often as it does and for any target:
/// it may have changed the target, and may call again. Its completion is outside.
struct PassedLimits: Sendable {
    @TaskLocal static var current: PassedLimits?

    private let provider: ObjectIdentifier
    private let limits: CallLimits

    init(_ limits: CallLimits, of provider: AnyObject) {
        self.provider = ObjectIdentifier(provider)
        self.limits = limits
    }

    /// The limits of a call by a provider; `nil` for other providers.
    static func limits(of provider: AnyObject) -> CallLimits? {
        guard let current, ObjectIdentifier(provider) == current.provider else { return nil }
        return current.limits
    }
}
