#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A cached-response handler that stores every response, none, or the result of a closure.
public struct ResponseCacher: CachedResponseHandler {
    /// The treatment of a response that may be stored.
    public enum Behavior: Sendable {
        /// Store it.
        case cache
        /// Store nothing.
        case doNotCache
        /// Store the closure's result, or nothing if it is `nil`.
        @preconcurrency
        case modify(@Sendable (_ task: DataRequest, _ cachedResponse: CachedURLResponse) -> CachedURLResponse?)
    }

    /// Stores every response.
    public static let cache = ResponseCacher(behavior: .cache)
    /// Stores no response.
    public static let doNotCache = ResponseCacher(behavior: .doNotCache)

    /// The treatment of a response that may be stored.
    public let behavior: Behavior

    /// Makes a handler of a behaviour.
    public init(behavior: Behavior) { self.behavior = behavior }

    /// Answers at once, on the calling thread.
    @preconcurrency
    public func dataTask(
        _ task: DataRequest, willCacheResponse response: CachedURLResponse,
        completion: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        switch behavior {
        case .cache: completion(response)
        case .doNotCache: completion(nil)
        case .modify(let closure): completion(closure(task, response))
        }
    }
}

extension CachedResponseHandler where Self == ResponseCacher {
    /// Stores every response.
    public static var cache: ResponseCacher { ResponseCacher(behavior: .cache) }

    /// Stores no response.
    public static var doNotCache: ResponseCacher { ResponseCacher(behavior: .doNotCache) }

    /// Stores the closure's result, or nothing if it is `nil`.
    @preconcurrency
    public static func modify(
        using closure: @escaping @Sendable (DataRequest, CachedURLResponse) -> CachedURLResponse?
    ) -> ResponseCacher {
        ResponseCacher(behavior: .modify(closure))
    }
}
