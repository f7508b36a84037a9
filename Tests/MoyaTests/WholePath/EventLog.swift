import Moya
import MoyaTransport

/// Progress in the order of arrival.
final class EventLog: Sendable {
    private let events = Lock<[ProgressResponse]>([])

    func append(_ event: ProgressResponse) { events.withLock { $0.append(event) } }

    var all: [ProgressResponse] { events.withLock { $0 } }
}
