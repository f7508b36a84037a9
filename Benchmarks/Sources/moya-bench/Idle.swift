import CMeasure
import Dispatch
import Foundation
import Moya

import struct _Concurrency.Task

/// Measures the cost of an idle provider that has made a call.
///
/// Swift's tasks and Dispatch also have threads, one of which wakes every second: `--client none` measures these without
/// a provider.
enum Idle {
    /// A delay after which Dispatch has ended its idle threads.
    private static let settling = 8.0
    private static let watching = 10.0

    static func run(_ options: Options) async throws {
        await Task.detached { await withCheckedContinuation { done in DispatchQueue.global().async { done.resume() } } }
            .value
        guard options.client != "none" else { return await watch() }
        let provider = MoyaProvider<BenchmarkAPI>(session: options.session())
        _ = try await provider.request(.small(options.url))
        await watch()
        withExtendedLifetime(provider) {}
    }

    /// Watches from a dedicated thread, because the threads that run tasks are among those watched.
    private static func watch() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                measure_sleep(settling)
                let wakeups = measure_wakeups()
                let cpu = measure_cpu_microseconds()
                measure_sleep(watching)
                Figures.print([
                    // Excludes the wake-up of this thread.
                    ("wakeups", Double(measure_wakeups() - wakeups - 1)),
                    ("cpuMicroseconds", measure_cpu_microseconds() - cpu),
                    ("threads", Double(measure_threads() - 1)),
                ])
                continuation.resume()
            }
        }
    }
}
