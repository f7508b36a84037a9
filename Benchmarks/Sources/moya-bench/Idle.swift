import CMeasure
import Foundation
import Moya

/// What a provider costs that has made a call and makes none now.
enum Idle {
    /// Longer than Dispatch keeps a thread that has nothing to do.
    private static let settling = 12.0
    private static let watching = 10.0

    static func run(_ options: Options) async throws {
        let provider = MoyaProvider<BenchmarkAPI>(session: options.session())
        _ = try await provider.request(.small(options.url))
        // On a thread of its own, for the threads that run tasks are among those watched.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                measure_sleep(settling)
                let wakeups = measure_wakeups()
                let cpu = measure_cpu_microseconds()
                measure_sleep(watching)
                Figures.print([
                    // That of this thread, at the end of its sleep, is none of the provider's.
                    ("wakeups", Double(measure_wakeups() - wakeups - 1)),
                    ("cpuMicroseconds", measure_cpu_microseconds() - cpu),
                    ("seconds", watching),
                    ("threads", Double(measure_threads() - 1)),
                ])
                continuation.resume()
            }
        }
        withExtendedLifetime(provider) {}
    }
}
