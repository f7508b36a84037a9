public import Foundation

/// Whether and when a call is answered by its sample.
public enum StubBehavior: Sendable, Hashable {
    /// The network is asked.
    case never
    /// At once.
    case immediate
    /// After that many seconds.
    case delayed(seconds: TimeInterval)

    var isStub: Bool { self != .never }
    var isImmediate: Bool { self == .immediate }
}

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
