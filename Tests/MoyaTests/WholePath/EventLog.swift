import Moya
import Synchronization

/// Progress in the order in which it came.
final class EventLog: Sendable {
    private let events = Mutex<[ProgressResponse]>([])

    func append(_ event: ProgressResponse) { events.withLock { $0.append(event) } }

    var all: [ProgressResponse] { events.withLock { $0 } }
}
