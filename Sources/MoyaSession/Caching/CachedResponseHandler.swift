import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Decides what of a response is kept in the cache.
///
/// ### Do I need this?
/// To keep a response out of the cache, or to change what is kept of it. With no handler everything is kept that HTTP
/// allows (RFC 9111) and the session's cache takes.
///
/// ### Use
/// Give a ``ResponseCacher`` to a session or to a request: `.cache`, `.doNotCache` or `.modify { _, response in … }`. A
/// request's handler wins over its session's.
@preconcurrency
public protocol CachedResponseHandler: Sendable {
    /// Gives what is to be kept, or `nil` to keep nothing.
    ///
    /// Called only for a response that may be stored. Call `completion` at most once, from any thread, now or later;
    /// the request does not wait for it.
    ///
    /// - Parameters:
    ///   - task: The request that was answered.
    ///   - response: The response to store: the body decoded, and the fields but for `Set-Cookie` and those that are
    ///     about one connection.
    ///   - completion: Takes what is to be kept.
    @preconcurrency
    func dataTask(
        _ task: DataRequest, willCacheResponse response: CachedURLResponse,
        completion: @escaping @Sendable (CachedURLResponse?) -> Void)
}

extension Request {
    /// Decides what is kept of this request's response, in place of the session's handler; the last one given counts.
    ///
    /// The handler is called on the session's root queue.
    @discardableResult
    public func cacheResponse(using handler: any CachedResponseHandler) -> Self {
        mutableState.withLock { $0.cachedResponseHandler = handler }
        return self
    }
}
