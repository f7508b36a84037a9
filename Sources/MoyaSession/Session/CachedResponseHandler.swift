import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Decides what a cache stores of a response.
///
/// ### Do I need this?
/// Use it to keep a response out of the cache, or to change the stored response. Without a handler, everything is
/// stored that HTTP allows (RFC 9111) and the session's cache accepts. With a handler, which gets the body in memory, no
/// response of more than 4 MiB is stored.
///
/// A handler is asked about data and upload requests only. With any handler except `.cache`, the responses to downloads
/// and `streamRequest` are not stored.
///
/// ### Use
/// Pass a ``ResponseCacher`` to a session or to a request: `.cache`, `.doNotCache` or `.modify { _, response in … }`. A
/// request's handler overrides its session's.
@preconcurrency
public protocol CachedResponseHandler: Sendable {
    /// Passes the response to store, or `nil` to store nothing, to the completion.
    ///
    /// Called only for a response that may be stored. Call `completion` at most once, from any thread, at any time; the
    /// request does not wait for it.
    ///
    /// - Parameters:
    ///   - task: The request that was answered.
    ///   - response: The response to store: with the decoded body, without `Set-Cookie` and connection fields.
    ///   - completion: Receives the response to store. With the storage policy `allowedInMemoryOnly`, it is never in a
    ///     file, and stays in memory while there is room.
    @preconcurrency
    func dataTask(
        _ task: DataRequest, willCacheResponse response: CachedURLResponse,
        completion: @escaping @Sendable (CachedURLResponse?) -> Void)
}

extension Request {
    /// Sets the handler of this request's response, which overrides the session's; the last one set counts.
    ///
    /// The handler is called on the session's root queue; with a transport whose `deliversWhereCodeMayBlock` is `true`, on
    /// the thread that delivers the response. It is called only if the session has a cache: an ``HTTPCache``, a `urlCache`
    /// other than the shared one, or a handler.
    @discardableResult
    public func cacheResponse(using handler: any CachedResponseHandler) -> Self {
        replace(\.cachedResponseHandler, with: handler)
        return self
    }
}
