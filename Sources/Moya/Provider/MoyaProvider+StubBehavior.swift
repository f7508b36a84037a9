public import Foundation

extension MoyaProvider {
    /// Stubs nothing.
    @Sendable public final class func neverStub(_: Target) -> StubBehavior { .never }

    /// Stubs every call, at once.
    @Sendable public final class func immediatelyStub(_: Target) -> StubBehavior { .immediate }

    /// Stubs every call, after that many seconds.
    @Sendable public final class func delayedStub(_ seconds: TimeInterval) -> @Sendable (Target) -> StubBehavior {
        { _ in .delayed(seconds: seconds) }
    }

    /// Stubs every call at once, and streams its sample data in pieces.
    ///
    /// A call whose response is not streamed has its sample whole.
    ///
    /// - Parameters:
    ///   - pieceSize: The bytes of a piece; 1 for less than that. The last piece may be shorter.
    ///   - interval: The wait before each piece, by the provider's clock; none for less than zero.
    @Sendable public final class func streamedStub(
        pieceSize: Int, every interval: Duration = .zero
    ) -> @Sendable (Target) -> StubBehavior {
        { _ in
            SamplePace.choose(SamplePace.Choice(pieceSize: pieceSize, interval: interval))
            return .immediate
        }
    }
}
