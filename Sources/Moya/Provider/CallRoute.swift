import Foundation
import MoyaSession

/// The parts that few calls have: middleware, limits, and the time by which deadlines are measured.
final class CallRoute: Sendable {
    let middleware: [any Middleware]
    /// `true` if the middleware gives the plugins a place.
    let placesPlugins: Bool
    let deadlines: Deadlines
    /// The most bytes of a response, where that is not what its session says.
    let maximumResponseBytes: Int?
    let number = CallNumber.next()
    let timeline: Timeline
    private let url: String

    init(_ settings: CallSettings, _ limits: CallLimits, to url: String) {
        middleware = settings.middleware
        placesPlugins = settings.placesPlugins
        deadlines = limits.deadlines
        maximumResponseBytes = limits.maximumResponseBytes
        timeline = Timeline(settings.clock)
        self.url = url
    }

    /// The bounds of a request of the call, in place of its session's.
    var timeouts: Deadlines {
        var timeouts = deadlines
        timeouts.total = deadlines.total.map { max(timeline.remaining(of: $0), .milliseconds(1)) }
        return timeouts
    }

    /// The error of a call that took longer than one of its deadlines.
    func overdue(_ bound: Duration, _ name: String) -> MoyaError {
        .timedOut(after: bound, of: name, url: URL(string: url))
    }
}
