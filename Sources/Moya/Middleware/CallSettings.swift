/// The middleware and the deadlines of a provider's calls.
struct CallSettings: Sendable {
    let middleware: [any Middleware]
    let deadlines: Deadlines
    let clock: any Clock<Duration>
    /// `true` if the list gives the plugins a place; else they come after every middleware.
    let placesPlugins: Bool
    /// `true` if there is nothing here that a call has to pass.
    let isEmpty: Bool

    /// The settings of providers without middleware or deadlines.
    static let none = CallSettings(middleware: [], deadlines: Deadlines(), clock: ContinuousClock())

    init(middleware: [any Middleware], deadlines: Deadlines, clock: any Clock<Duration>) {
        self.middleware = middleware
        self.deadlines = deadlines
        self.clock = clock
        placesPlugins = middleware.contains { $0 is Plugins }
        isEmpty = middleware.isEmpty && deadlines.isEmpty
    }
}

/// The limits that a caller sets on one call, which win over those of its target, its provider and its session.
struct CallLimits: Sendable {
    var deadlines = Deadlines()
    var maximumResponseBytes: Int?

    /// The limits of a call on their way around a subclass's `request`, whose parameters have no place for them.
    @TaskLocal static var current: CallLimits?
}
