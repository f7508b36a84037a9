import Foundation
import MoyaTransport

/// Follows a connectivity sequence, and keeps calls waiting for a network.
///
/// The sequence is read by one task, from the first call on, for as long as the watch is there.
final class ConnectivityMonitor: Sendable {
    typealias Reading = @Sendable (_ update: @Sendable (Bool) -> Void) async throws -> Void

    /// The state that the reading task holds, so that it does not hold the monitor.
    private final class Shared: Sendable {
        let state = Lock(ConnectivityState())

        func update(_ isOnline: Bool) {
            for waiter in state.withLock({ $0.update(isOnline) }) { waiter.resume(returning: .success(())) }
        }

        func release(_ ticket: Ticket, with end: ConnectivityState.End) {
            state.withLock { $0.release(ticket, with: end) }?.resume(returning: end)
        }

        func updateEnd(_ error: OfflineError) {
            for waiter in state.withLock({ $0.updateEnd(error) }) { waiter.resume(returning: .failure(error)) }
        }
    }

    private let shared = Shared()
    private let reading: Reading
    private let reader = Lock<_Concurrency.Task<Void, Never>?>(nil)

    init<Online: AsyncSequence & Sendable>(_ online: Online) where Online.Element == Bool {
        reading = { update in
            for try await isOnline in online {
                update(isOnline)
                // A sequence that always has another element at hand must neither outlive the gate nor take its thread.
                if _Concurrency.Task.isCancelled { return }
                await _Concurrency.Task.yield()
            }
        }
    }

    deinit { reader.withLock { $0 }?.cancel() }

    /// The admission of a call: at once, after a wait, or never.
    func admission() -> ConnectivityState.Admission {
        startReading()
        return shared.state.withLock { $0.admission() }
    }

    /// Waits until there is a network.
    ///
    /// - Parameters:
    ///   - call: Waits; its place among those who do is that of when it was made.
    ///   - limit: The longest wait.
    func wait(_ call: Call, atMost limit: Duration?) async -> ConnectivityState.End {
        let (shared, ticket, timeline) = (shared, Ticket(of: call), call.timeline)
        let timer = limit.flatMap { limit in
            timeline.timer(after: limit) { shared.release(ticket, with: .failure(.stillOffline(after: limit))) }
        }
        defer { timer?.cancel() }
        let end = await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: ConnectivityState.Waiter) in
                let (isOver, end) = shared.state.withLock { $0.park(ticket, waiter) }
                if isOver { waiter.resume(returning: end) }
            }
        } onCancel: {
            shared.release(ticket, with: nil)
        }
        shared.state.withLock { $0.forget(ticket) }
        return end
    }

    private func startReading() {
        reader.withLock { reader in
            guard reader == nil else { return }
            reader = _Concurrency.Task { [shared, reading] in
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
