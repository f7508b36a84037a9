public import Foundation

extension MoyaProvider {
    /// Stubs nothing.
    @Sendable public final class func neverStub(_: Target) -> StubBehavior { .never }

    /// Stubs every call immediately.
    @Sendable public final class func immediatelyStub(_: Target) -> StubBehavior { .immediate }

    // In Swift 5 mode, `@preconcurrency` removes `@Sendable` from the returned closures, as from `StubClosure`. Swift 6.3
    // converts no result of `?:` from two `@Sendable` closures to a `StubClosure`.

    /// Stubs every call after a delay in seconds.
    @preconcurrency
    @Sendable public final class func delayedStub(_ seconds: TimeInterval) -> @Sendable (Target) -> StubBehavior {
        { _ in .delayed(seconds: seconds) }
    }

    /// Stubs every call immediately, and streams its sample data in pieces.
    ///
    /// A call whose response is not streamed receives its whole sample at once.
    ///
    /// - Parameters:
    ///   - pieceSize: The number of bytes of a piece, at least 1; smaller values count as 1. The last piece may be
    ///     shorter.
    ///   - interval: The delay before each piece, measured by the provider's clock; a negative value means no delay.
    @preconcurrency
    @Sendable public final class func streamedStub(
        pieceSize: Int, every interval: Duration = .zero
    ) -> @Sendable (Target) -> StubBehavior {
        { _ in
            SamplePace.choose(SamplePace.Choice(pieceSize: pieceSize, interval: interval))
            return .immediate
        }
    }
}
