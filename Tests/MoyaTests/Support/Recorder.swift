import MoyaTransport

/// Records values in order, from any thread.
final class Recorder<Element: Sendable>: Sendable {
    private let kept = Lock<[Element]>([])

    var values: [Element] { kept.withLock { $0 } }
    var count: Int { values.count }

    func append(_ value: Element) { kept.withLock { $0.append(value) } }

    func removeAll() { kept.withLock { $0 = [] } }
}
