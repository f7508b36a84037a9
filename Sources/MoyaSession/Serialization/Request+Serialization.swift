import Foundation
import MoyaTransport

extension Request {
    /// Adds a handler that runs on the serialization queue, after those added before.
    func addSerializingHandler(_ handler: @escaping @Sendable (Request, RequestOutcome) -> Void) {
        let (target, root) = (serializationQueue, core.rootQueue)
        let queue = mutableState.withLock { $0.makeSerializationQueue(over: target, root: root) }
        addHandler { request, outcome in queue.async { handler(request, outcome) } }
    }
}

/// Makes a value and measures the time, in seconds.
func serialize<Value>(_ make: () throws -> Value) -> (seconds: TimeInterval, result: Result<Value, SessionError>) {
    let start = ContinuousClock.now
    let result: Result<Value, SessionError>
    do {
        result = .success(try make())
    } catch {
        result = .failure(
            (error as? SessionError) ?? .responseSerializationFailed(reason: .customSerializationFailed(error: error)))
    }
    return (start.duration(to: .now) / .seconds(1), result)
}
