/// Returns `true` for the first of several calls.
package final class Once: Sendable {
    private let isDone = Lock(false)

    package init() {}

    package func isFirst() -> Bool { !isDone.exchange(true) }
}
