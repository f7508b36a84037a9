/// What a provider's calls pass through besides the session, and how long they may take.
struct Composition: Sendable {
    let layers: [any Layer]
    let deadlines: Deadlines
    let clock: any Clock<Duration>
    /// Whether the list gives the plugins a place; else they come after every layer.
    let placesPlugins: Bool
    /// Whether there is nothing here that a call has to pass.
    let isEmpty: Bool

    /// What providers have that were given nothing of the kind.
    static let none = Composition(layers: [], deadlines: Deadlines(), clock: ContinuousClock())

    init(layers: [any Layer], deadlines: Deadlines, clock: any Clock<Duration>) {
        self.layers = layers
        self.deadlines = deadlines
        self.clock = clock
        placesPlugins = layers.contains { $0 is Plugins }
        isEmpty = layers.isEmpty && deadlines.isEmpty
    }
}

/// The deadlines of a call on their way around a subclass's `request`, whose parameters have no place for them.
enum CallDeadlines {
    @TaskLocal static var current: Deadlines?
}
