import Foundation
import MoyaSession

/// The optional parts of a call: middleware, limits, and the clock that measures its deadlines.
final class CallRoute: Sendable {
    let middleware: [any MoyaMiddleware]
    /// `true` if the middleware determines the position of the plugins.
    let placesPlugins: Bool
    let deadlines: Deadlines
    /// The maximum number of response bytes; `nil` for the session's limit.
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

    /// The time limits of the call's request, in place of the session's.
    var timeouts: Deadlines {
        var timeouts = deadlines
        timeouts.total = deadlines.total.map { max(timeline.remaining(of: $0), .milliseconds(1)) }
        return timeouts
    }

    /// The error of a call that exceeded one of its deadlines.
    func timeoutError(_ bound: Duration, _ name: String) -> MoyaError {
        .timedOut(after: bound, of: name, url: URL(string: url))
    }
}
