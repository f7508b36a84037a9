import MoyaTransport

/// Records values in order, from any thread.
package final class Recorder<Element: Sendable>: Sendable {
    private let kept = Lock<[Element]>([])

    package init() {}

    package var values: [Element] { kept.withLock { $0 } }
    package var count: Int { values.count }

    package func append(_ value: Element) { kept.withLock { $0.append(value) } }

    package func removeAll() { kept.withLock { $0 = [] } }
}
