#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A redirect handler that follows every redirect, none, or the result of a closure.
public struct Redirector: RedirectHandler {
    /// The treatment of a redirect.
    public enum Behavior: Sendable {
        /// Send the request of the redirect.
        case follow
        /// End with the redirect response.
        case doNotFollow
        /// Send the closure's result, or end with the redirect response if it is `nil`.
        @preconcurrency
        case modify(@Sendable (_ task: Request, _ request: URLRequest, _ response: HTTPURLResponse) -> URLRequest?)
    }

    /// Follows every redirect.
    public static let follow = Redirector(behavior: .follow)
    /// Follows no redirect.
    public static let doNotFollow = Redirector(behavior: .doNotFollow)

    /// The treatment of a redirect.
    public let behavior: Behavior

    /// Makes a handler of a behaviour.
    public init(behavior: Behavior) { self.behavior = behavior }

    /// Decides at once, on the calling thread.
    @preconcurrency
    public func task(
        _ task: Request, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        switch behavior {
        case .follow: completion(request)
        case .doNotFollow: completion(nil)
        case .modify(let closure): completion(closure(task, request, response))
        }
    }
}

extension RedirectHandler where Self == Redirector {
    /// Follows every redirect.
    public static var follow: Redirector { Redirector(behavior: .follow) }

    /// Follows no redirect.
    public static var doNotFollow: Redirector { Redirector(behavior: .doNotFollow) }

    /// Sends the closure's result, or ends with the redirect response if it is `nil`.
    @preconcurrency
    public static func modify(
        using closure: @escaping @Sendable (Request, URLRequest, HTTPURLResponse) -> URLRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(closure))
    }
}
