import CMeasure
import Foundation
import Moya

/// Measures what a progress closure adds to the download of a megabyte: CPU microseconds, the minimum of the rounds.
enum ProgressClosure {
    private static let rounds = 9
    private static let calls = 100

    static func run(_ options: Options) throws {
        let provider = MoyaProvider<BenchmarkAPI>(session: options.session())
        let target = BenchmarkAPI.megabyte(options.url)
        let queue = DispatchQueue(label: "progress")
        let counts = Counts()
        func call(_ progress: (@Sendable (ProgressResponse) -> Void)?) {
            let done = DispatchSemaphore(value: 0)
            provider.request(target, callbackQueue: queue, progress: progress) { result in
                if (try? result.get().data.count) != 1 << 20 { counts.failures += 1 }
                done.signal()
            }
            done.wait()
        }
        func cost(_ progress: (@Sendable (ProgressResponse) -> Void)?) -> Double {
            let start = measure_cpu_microseconds()
            for _ in 0..<calls { call(progress) }
            return (measure_cpu_microseconds() - start) / Double(calls)
        }
        let progress: @Sendable (ProgressResponse) -> Void = { _ in counts.events += 1 }
        call(nil)
        call(progress)
        counts.events = 0
        var (without, with) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            without = min(without, cost(nil))
            with = min(with, cost(progress))
        }
        Figures.print([
            ("without", without), ("with", with), ("events", Double(counts.events) / Double(calls * rounds)),
            ("failures", Double(counts.failures)),
        ])
    }

    /// `@unchecked`, because the closures run on one queue, and the measurement waits for each call.
    private final class Counts: @unchecked Sendable {
        var events = 0
        var failures = 0
    }
}
