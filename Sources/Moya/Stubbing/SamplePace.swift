import MoyaTransport

/// The size of streamed sample pieces, and the time between them.
///
/// A class, so that calls without a pace reserve no memory for it.
final class SamplePace: Sendable {
    /// The number of bytes in a piece, at least 1.
    let pieceSize: Int
    /// The wait before each piece.
    let interval: Duration
    let timeline: Timeline

    private init(_ choice: Choice, _ clock: any Clock<Duration>) {
        pieceSize = max(choice.pieceSize, 1)
        interval = choice.interval
        timeline = Timeline(clock)
    }

    /// The pace chosen by a stub closure, whose result cannot carry it.
    struct Choice: Sendable {
        let pieceSize: Int
        let interval: Duration
    }

    @TaskLocal private static var choiceOfCall: ChoiceBox?

    /// Records a choice made by a stub closure for a streaming call.
    static func choose(_ choice: Choice) { choiceOfCall?.choice.set(choice) }

    /// Calls a stub closure, and returns the chosen pace; `nil` for a sample in one piece.
    static func chosen(
        by clock: any Clock<Duration>, _ stubClosure: () -> StubBehavior
    ) -> (StubBehavior, SamplePace?) {
        let box = ChoiceBox()
        let behavior = $choiceOfCall.withValue(box) { stubClosure() }
        return (behavior, behavior.isStub ? box.choice.value.map { SamplePace($0, clock) } : nil)
    }

    private final class ChoiceBox: Sendable {
        let choice = Lock<Choice?>(nil)
    }
}
