import Foundation

/// The limit of refreshes within an interval, which stops an endless cycle of refreshed and refused credentials.
struct RefreshLimit: Sendable {
    private let interval: TimeInterval
    private let maximumAttempts: Int
    /// The start times of the refreshes in the last interval, at most as many as the limit.
    private var starts: [TimeInterval] = []

    init(interval: TimeInterval, maximumAttempts: Int) {
        self.interval = interval
        self.maximumAttempts = maximumAttempts
    }

    /// Records a refresh that starts now, unless it exceeds the limit.
    mutating func allowsStart(at now: TimeInterval) -> Bool {
        starts.removeAll { now - $0 > interval }
        guard starts.count < maximumAttempts else { return false }
        starts.append(now)
        return true
    }
}
