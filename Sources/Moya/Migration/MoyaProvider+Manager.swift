public import Foundation
public import MoyaSession

extension MoyaProvider {
    /// Makes a provider with the session's label up to Moya 13.
    ///
    /// - Parameters:
    ///   - endpointClosure: Makes the endpoint of a target.
    ///   - requestClosure: Makes the request of an endpoint.
    ///   - stubClosure: Decides whether and how a target is stubbed.
    ///   - callbackQueue: The queue of completions; the main queue by default.
    ///   - manager: Carries the calls. It has no default, so that a call without it never selects this initializer.
    ///   - plugins: Observe and edit the calls, in this order.
    ///   - trackInflights: `true` if a call joins an equal one in flight.
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

    /// The name of ``session`` up to Moya 13.
    @available(*, deprecated, renamed: "session")
    public final var manager: Session { session }
}

extension MoyaProviderType {
    // Not of the class, whose subclasses could then not declare their own.

    /// The name of ``MoyaProvider/defaultAlamofireSession()`` up to Moya 13.
    @available(*, deprecated, renamed: "defaultAlamofireSession()")
    public static func defaultAlamofireManager() -> Session { MoyaProvider<Target>.defaultAlamofireSession() }

    /// The name of ``MoyaProvider/defaultAlamofireSession()`` up to Moya 7.
    @available(*, deprecated, renamed: "defaultAlamofireSession()")
    public static func DefaultAlamofireManager() -> Session { MoyaProvider<Target>.defaultAlamofireSession() }
}
