import Synchronization

/// The completions of each call, by its index, and their kinds.
final class CompletionLedger: Sendable {
    /// The end of a call.
    enum Ending: Int, CaseIterable {
        /// With the server's response.
        case right
        /// Cancelled by its caller.
        case cancelled
        /// Cancelled with its provider.
        case dropped
        /// With any other result.
        case wrong
    }

    private struct Entries {
        var completions: [UInt8]
        var endings = [Int](repeating: 0, count: Ending.allCases.count)
        /// Descriptions of the first few wrong results.
        var complaints: [String] = []
    }

    private let entries: Mutex<Entries>

    init(calls: Int) {
        entries = Mutex(Entries(completions: [UInt8](repeating: 0, count: calls)))
    }

    /// Records that a call has completed.
    func record(_ index: Int, _ ending: Ending, complaint: @autoclosure () -> String = "") {
        entries.withLock { entries in
            entries.completions[index] &+= 1
            entries.endings[ending.rawValue] += 1
            if ending == .wrong, entries.complaints.count < 10 { entries.complaints.append(complaint()) }
        }
    }

    /// The number of calls that have completed the given number of times.
    func calls(completed times: ClosedRange<UInt8>) -> Int {
        entries.withLock { entries in entries.completions.lazy.filter { times.contains($0) }.count }
    }

    func count(_ ending: Ending) -> Int { entries.withLock { $0.endings[ending.rawValue] } }

    var complaints: [String] { entries.withLock { $0.complaints } }
}
