public import Foundation

extension MoyaProvider {
    /// ``defaultEndpointMapping(for:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "defaultEndpointMapping(for:)")
    @Sendable public final class func DefaultEndpointMapping(_ target: Target) -> Endpoint {
        defaultEndpointMapping(for: target)
    }

    /// ``defaultRequestMapping(for:closure:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "defaultRequestMapping(for:closure:)")
    @preconcurrency
    @Sendable public final class func DefaultRequestMapping(_ endpoint: Endpoint, closure: RequestResultClosure) {
        defaultRequestMapping(for: endpoint, closure: closure)
    }

    /// ``neverStub(_:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "neverStub(_:)")
    @Sendable public final class func NeverStub(_ target: Target) -> StubBehavior { neverStub(target) }

    /// ``immediatelyStub(_:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "immediatelyStub(_:)")
    @Sendable public final class func ImmediatelyStub(_ target: Target) -> StubBehavior { immediatelyStub(target) }

    /// ``delayedStub(_:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "delayedStub(_:)")
    @Sendable public final class func DelayedStub(_ seconds: TimeInterval) -> @Sendable (Target) -> StubBehavior {
        delayedStub(seconds)
    }
}

extension StubBehavior {
    /// ``never``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "never")
    public static var Never: StubBehavior { .never }

    /// ``immediate``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "immediate")
    public static var Immediate: StubBehavior { .immediate }

    /// ``delayed(seconds:)``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "delayed(seconds:)")
    public static func Delayed(seconds: TimeInterval) -> StubBehavior { .delayed(seconds: seconds) }
}
