/// The middleware and the deadlines of a provider's calls.
struct CallSettings: Sendable {
    let middleware: [any MoyaMiddleware]
    let deadlines: Deadlines
    let clock: any Clock<Duration>
    /// `true` if the list contains the plugins' position; otherwise they run inside all middleware.
    let placesPlugins: Bool
    /// `true` without middleware and deadlines.
    let isEmpty: Bool

    /// The settings of providers without middleware or deadlines.
    static let none = CallSettings(middleware: [], deadlines: Deadlines(), clock: ContinuousClock())

    init(middleware: [any MoyaMiddleware], deadlines: Deadlines, clock: any Clock<Duration>) {
        self.middleware = middleware
        self.deadlines = deadlines
        self.clock = clock
        placesPlugins = middleware.contains { $0 is PluginsMiddleware }
        isEmpty = middleware.isEmpty && deadlines.isEmpty
    }
}

/// The limits that a caller sets on one call, which override those of its target, its provider and its session.
struct CallLimits: Sendable {
    var deadlines = Deadlines()
    var maximumResponseBytes: Int?
}
