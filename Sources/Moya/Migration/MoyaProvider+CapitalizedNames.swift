public import Foundation

extension MoyaProvider {
    /// The name of ``defaultEndpointMapping(for:)`` up to Moya 7.
    @available(*, deprecated, renamed: "defaultEndpointMapping(for:)")
    @Sendable public final class func DefaultEndpointMapping(_ target: Target) -> Endpoint {
        defaultEndpointMapping(for: target)
    }

    /// The name of ``defaultRequestMapping(for:closure:)`` up to Moya 7.
    @available(*, deprecated, renamed: "defaultRequestMapping(for:closure:)")
    @preconcurrency
    @Sendable public final class func DefaultRequestMapping(_ endpoint: Endpoint, closure: RequestResultClosure) {
        defaultRequestMapping(for: endpoint, closure: closure)
    }

    /// The name of ``neverStub(_:)`` up to Moya 7.
    @available(*, deprecated, renamed: "neverStub(_:)")
    @Sendable public final class func NeverStub(_ target: Target) -> StubBehavior { neverStub(target) }

    /// The name of ``immediatelyStub(_:)`` up to Moya 7.
    @available(*, deprecated, renamed: "immediatelyStub(_:)")
    @Sendable public final class func ImmediatelyStub(_ target: Target) -> StubBehavior { immediatelyStub(target) }

    /// The name of ``delayedStub(_:)`` up to Moya 7.
    @available(*, deprecated, renamed: "delayedStub(_:)")
    @Sendable public final class func DelayedStub(_ seconds: TimeInterval) -> @Sendable (Target) -> StubBehavior {
        delayedStub(seconds)
    }
}

extension StubBehavior {
    /// The name of ``never`` up to Moya 7.
    @available(*, deprecated, renamed: "never")
    public static var Never: StubBehavior { .never }

    /// The name of ``immediate`` up to Moya 7.
    @available(*, deprecated, renamed: "immediate")
    public static var Immediate: StubBehavior { .immediate }

    /// The name of ``delayed(seconds:)`` up to Moya 7.
    @available(*, deprecated, renamed: "delayed(seconds:)")
    public static func Delayed(seconds: TimeInterval) -> StubBehavior { .delayed(seconds: seconds) }
}
