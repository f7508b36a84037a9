import Dispatch
import MoyaSession
import MoyaTransport

/// Records the names of the events that it receives.
final class EventRecorder: EventMonitor {
    let queue = DispatchQueue(label: "org.moya.tests.events")
    private let recorded = Lock<[(Request, RequestEvent)]>([])

    func receive(_ event: RequestEvent, of request: Request) { recorded.withLock { $0.append((request, event)) } }

    /// All that was reported until now.
    var events: [RequestEvent] {
        queue.sync {}
        return recorded.withLock { $0.map(\.1) }
    }

    /// The same by name.
    var names: [String] { events.map(\.name) }
}

extension RequestEvent {
    /// The name of the case.
    var name: String { String("\(self)".prefix { $0 != "(" }) }
}

/// The values recorded by several threads, in order.
final class Recorded<Value: Sendable>: Sendable {
    private let values = Lock<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }

    var all: [Value] { values.withLock { $0 } }
    var count: Int { all.count }
}
