import Foundation

/// The time, in seconds, for which a processor runs a closure on this thread; other threads do not count.
///
/// - Returns: The shortest of three runs.
func processorTime(of body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    var shortest = Double.infinity
    for _ in 0..<3 {
        let start = now()
        try body()
        shortest = min(shortest, now() - start)
    }
    return shortest
}
