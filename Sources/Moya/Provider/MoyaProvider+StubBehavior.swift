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
}
