import MoyaTransport

/// The pieces in which sample data streams, and the time between them.
///
/// An object, so that calls that have none keep no room for it.
final class SamplePace: Sendable {
    /// The bytes of a piece, at least 1.
    let pieceSize: Int
    /// The wait before each piece.
    let interval: Duration
    let timeline: Timeline

    private init(_ choice: Choice, _ clock: any Clock<Duration>) {
        pieceSize = max(choice.pieceSize, 1)
        interval = choice.interval
        timeline = Timeline(clock)
    }

    /// The choice of a stub closure, whose result has no place for it.
    struct Choice: Sendable {
        let pieceSize: Int
        let interval: Duration
    }

    @TaskLocal private static var chosen: ChoiceBox?

    /// Takes a choice where a stub closure makes one for a call that streams.
    static func choose(_ choice: Choice) { chosen?.choice.set(choice) }

    /// Calls a stub closure, and gives the pace that it chooses; `nil` for a sample that comes whole.
    static func chosen(
        by clock: any Clock<Duration>, _ stubClosure: () -> StubBehavior
    ) -> (StubBehavior, SamplePace?) {
        let box = ChoiceBox()
        let behavior = $chosen.withValue(box) { stubClosure() }
        return (behavior, behavior.isStub ? box.choice.value.map { SamplePace($0, clock) } : nil)
    }

    private final class ChoiceBox: Sendable {
        let choice = Lock<Choice?>(nil)
    }
}
