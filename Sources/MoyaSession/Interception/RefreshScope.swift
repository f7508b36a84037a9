import MoyaTransport

/// Marks what is done within the refresh of a credential, so that it does not wait for that refresh.
///
/// The mark is a task-local value while the authenticator's `refresh` runs: a request that is made there, on the same
/// thread or in a task begun there, carries it from then on, wherever it is prepared.
final class RefreshScope: Sendable {
    @TaskLocal static var current: RefreshScope?

    /// The authentication interceptor whose credential is refreshed.
    private let owner: ObjectIdentifier
    /// The refresh that this one is part of: another interceptor's.
    private let outer: RefreshScope?
    private let isOver = Lock(false)

    init(owner: ObjectIdentifier, within outer: RefreshScope?) {
        self.owner = owner
        self.outer = outer
    }

    /// Says that the refresh has given its answer: whatever carries the mark is like any other from now on.
    func end() { isOver.set(true) }

    /// `true` if the mark stands for an interceptor's refresh that is not over yet.
    func isRefresh(of owner: ObjectIdentifier) -> Bool {
        var scope: RefreshScope? = self
        while let current = scope {
            if current.owner == owner, !current.isOver.value { return true }
            scope = current.outer
        }
        return false
    }
}
