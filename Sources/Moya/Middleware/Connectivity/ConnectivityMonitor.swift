import Foundation
import MoyaTransport

/// Reads a connectivity sequence, and makes calls wait for a network.
///
/// One task reads the sequence, from the first call on, during the lifetime of the monitor.
final class ConnectivityMonitor: Sendable {
    typealias Reading = @Sendable (_ update: @Sendable (Bool) -> Void) async throws -> Void

    /// The state that the reading task retains, so that it does not retain the monitor.
    private final class Shared: Sendable {
        let state = Lock(ConnectivityState())

        func update(_ isOnline: Bool) {
            for waiter in state.withLock({ $0.update(isOnline) }) { waiter.end.send(.success(isOnline)) }
        }

        func updateEnd(_ error: OfflineError) {
            for waiter in state.withLock({ $0.updateEnd(error) }) { waiter.end.send(.failure(error)) }
        }
    }

    private let shared = Shared()
    private let reading: Reading
    private let reader = Lock<_Concurrency.Task<Void, Never>?>(nil)

    init<Online: AsyncSequence & Sendable>(_ online: Online) where Online.Element == Bool {
        reading = { update in
            for try await isOnline in online {
                update(isOnline)
                // A sequence that always has another element must not outlive the monitor or block its thread.
                if _Concurrency.Task.isCancelled { return }
                await _Concurrency.Task.yield()
            }
        }
    }

    deinit { reader.withLock { $0 }?.cancel() }

    /// The last known connectivity; `nil` before the first element.
    func known() -> ConnectivityState.Connectivity? {
        startReading()
        return shared.state.withLock { $0.known }
    }

    /// Waits until there is a network.
    ///
    /// - Parameters:
    ///   - call: The waiting call; it is queued in the order in which calls were made.
    ///   - limit: The maximum wait.
    ///   - endsOffline: `true` if the wait also ends once there is known to be no network.
    /// - Returns: `nil` if the task is cancelled.
    func wait(
        _ call: MiddlewareCall, atMost limit: Duration?, endsOffline: Bool
    ) async -> ConnectivityState.Connectivity? {
        let (ticket, end) = (Ticket(of: call), OneShot<ConnectivityState.Connectivity>())
        shared.state.withLock { $0.add(ConnectivityState.Waiter(end: end, endsOffline: endsOffline), for: ticket) }
        let timer = limit.flatMap { limit in
            call.timeline.timer(after: limit) { end.send(.failure(.stillOffline(after: limit))) }
        }
        defer {
            timer?.cancel()
            shared.state.withLock { $0.remove(ticket) }
        }
        return await end.value
    }

    private func startReading() {
        reader.withLock { reader in
            guard reader == nil else { return }
            // Calls of every priority wait for it.
            reader = _Concurrency.Task.detached(priority: .userInitiated) { [shared, reading] in
                do {
                    try await reading { shared.update($0) }
                    shared.updateEnd(.sequenceEnded)
                } catch {
                    shared.updateEnd(.sequenceFailed(error))
                }
            }
        }
    }
}
