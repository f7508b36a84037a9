import MoyaTransport

/// Marks work within the refresh of a credential, so that it does not wait for that refresh.
///
/// The mark is a task-local value while the user's `refresh` runs: a request made there, on the same thread or
/// in a task created there, keeps it, wherever it is prepared.
package final class RefreshScope: Sendable {
    @TaskLocal package static var current: RefreshScope?

    /// The authentication interceptor, or refresher of tokens, that refreshes its credential.
    private let owner: ObjectIdentifier
    /// The refresh of another interceptor that contains this one.
    private let outer: RefreshScope?
    private let isOver = Lock(false)

    package init(owner: ObjectIdentifier, within outer: RefreshScope?) {
        self.owner = owner
        self.outer = outer
    }

    /// Marks the refresh as ended: work with the mark is treated like any other from now on.
    package func end() { isOver.set(true) }

    /// `true` if the current work is part of a running refresh.
    package static var isRefreshing: Bool { current?.isRefreshing ?? false }

    /// `true` if the mark belongs to a running refresh.
    package var isRefreshing: Bool { isRunning { _ in true } }

    /// `true` if the mark belongs to a running refresh of an interceptor.
    package func isRefresh(of owner: ObjectIdentifier) -> Bool { isRunning { $0 == owner } }

    private func isRunning(of isOwner: (ObjectIdentifier) -> Bool) -> Bool {
        var scope: RefreshScope? = self
        while let current = scope {
            if isOwner(current.owner), !current.isOver.value { return true }
            scope = current.outer
        }
        return false
    }
}
