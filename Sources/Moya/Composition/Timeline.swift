/// Time since a call began, on a clock of any kind.
struct Timeline: Sendable {
    let clock: any Clock<Duration>
    private let measures: Measures

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        measures = Self.measures(of: clock)
    }

    /// How long it is since the call began.
    var now: Duration { measures.elapsed() }

    /// Waits; throws when the task is cancelled.
    func sleep(for duration: Duration) async throws { try await measures.sleep(duration) }

    private struct Measures: Sendable {
        let elapsed: @Sendable () -> Duration
        let sleep: @Sendable (Duration) async throws -> Void
    }

    /// What needs the clock's own type, which alone knows its instants.
    private static func measures<C: Clock>(of clock: C) -> Measures where C.Duration == Duration {
        let start = clock.now
        return Measures(
            elapsed: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) })
    }
}
