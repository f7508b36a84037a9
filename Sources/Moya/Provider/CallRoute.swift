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

    /// The time limits of a request of the call, in place of the session's; `nil` if there are none.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isAttempt: `true` if the request belongs to an attempt, which middleware may detach from the call.
    func timeouts(of request: Request, isAttempt: Bool) -> Deadlines? {
        var timeouts = deadlines
        // The session measures real time; limits of another clock are left to the call's timers.
        guard timeline.isContinuous else {
            timeouts.attempt = deadlines.attempt.map { _ in .zero }
            timeouts.total = deadlines.total.map { _ in .zero }
            return timeouts.isEmpty ? nil : timeouts
        }
        // The call's own timer ends the request too, unless the session would do so earlier.
        if let total = deadlines.total {
            timeouts.total =
                isAttempt || request.endsBefore(total) ? max(timeline.remaining(of: total), .milliseconds(1)) : nil
        }
        return timeouts.isEmpty ? nil : timeouts
    }

    /// The error of a call that exceeded one of its deadlines.
    func timeoutError(_ bound: Duration, _ name: String) -> MoyaError {
        .timedOut(after: bound, of: name, url: URL(string: url))
    }
}
