public import Foundation
public import MoyaSession

extension MoyaProvider {
    /// Makes a provider, with the label that the session had up to Moya 13.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint.
    ///   - stubClosure: Says whether and how a target is stubbed.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - manager: Carries the calls. It has no default, so that a call without it is never this one.
    ///   - plugins: Watch and edit the calls, in this order.
    ///   - trackInflights: `true` if a call joins an equal one that is under way.
    @available(
        *, deprecated,
        renamed: "init(endpointClosure:requestClosure:stubClosure:callbackQueue:session:plugins:trackInflights:)"
    )
    @preconcurrency
    public convenience init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        manager: Session,
        plugins: [any PluginType] = [],
        trackInflights: Bool = false
    ) {
        self.init(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            callbackQueue: callbackQueue, session: manager, plugins: plugins, trackInflights: trackInflights)
    }

    /// The ``session``, as it was called up to Moya 13.
    @available(*, deprecated, renamed: "session")
    public final var manager: Session { session }

    /// ``defaultAlamofireSession()``, as it was called up to Moya 13.
    @available(*, deprecated, renamed: "defaultAlamofireSession()")
    public final class func defaultAlamofireManager() -> Session { defaultAlamofireSession() }

    /// ``defaultAlamofireSession()``, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "defaultAlamofireSession()")
    public final class func DefaultAlamofireManager() -> Session { defaultAlamofireSession() }
}
