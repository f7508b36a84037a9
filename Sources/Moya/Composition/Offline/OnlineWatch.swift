import Foundation
import Synchronization

/// Follows a sequence that tells whether there is a network, and keeps calls waiting for it.
///
/// The sequence is read by one task, from the first call on, for as long as the watch is there.
final class OnlineWatch: Sendable {
    typealias Reading = @Sendable (_ learn: @Sendable (Bool) -> Void) async throws -> Void

    /// What the reading task holds, so that it does not hold the watch.
    private final class Shared: Sendable {
        let state = Mutex(OnlineState())

        func learn(_ isOnline: Bool) {
            for waiter in state.withLock({ $0.learn(isOnline) }) { waiter.resume(returning: .success(())) }
        }

        func leave(_ place: Place, with end: OnlineState.End) {
            state.withLock { $0.leave(place, with: end) }?.resume(returning: end)
        }

        func learnEnd(_ error: OfflineError) {
            for waiter in state.withLock({ $0.learnEnd(error) }) { waiter.resume(returning: .failure(error)) }
        }
    }

    private let shared = Shared()
    private let reading: Reading
    private let reader = Mutex<_Concurrency.Task<Void, Never>?>(nil)

    init<Online: AsyncSequence & Sendable>(_ online: Online) where Online.Element == Bool {
        reading = { learn in
            for try await isOnline in online {
                learn(isOnline)
                // A sequence that always has another element at hand must neither outlive the gate nor take its thread.
                if _Concurrency.Task.isCancelled { return }
                await _Concurrency.Task.yield()
            }
        }
    }

    deinit { reader.withLock { $0 }?.cancel() }

    /// Whether a call may be made at once, or never.
    func admission() -> OnlineState.Admission {
        startReading()
        return shared.state.withLock { $0.admission() }
    }

    /// Waits until there is a network.
    ///
    /// - Parameters:
    ///   - call: Waits; its place among those who do is that of when it was made.
    ///   - limit: How long it waits at most.
    func wait(_ call: Call, atMost limit: Duration?) async -> OnlineState.End {
        let (shared, place, timeline) = (shared, Place(of: call), call.timeline)
        let timer = limit.map { limit in
            _Concurrency.Task {
                guard (try? await timeline.sleep(for: limit)) != nil else { return }
                shared.leave(place, with: .failure(.stillOffline(after: limit)))
            }
        }
        defer { timer?.cancel() }
        let end = await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: OnlineState.Waiter) in
                let (isOver, end) = shared.state.withLock { $0.park(place, waiter) }
                if isOver { waiter.resume(returning: end) }
            }
        } onCancel: {
            shared.leave(place, with: nil)
        }
        shared.state.withLock { $0.forget(place) }
        return end
    }

    private func startReading() {
        reader.withLock { reader in
            guard reader == nil else { return }
            reader = _Concurrency.Task { [shared, reading] in
                do {
                    try await reading { shared.learn($0) }
                    shared.learnEnd(.sequenceEnded)
                } catch {
                    shared.learnEnd(.sequenceFailed(error))
                }
            }
        }
    }
}
