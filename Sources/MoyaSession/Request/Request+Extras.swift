import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Request {
    /// What few requests have, in an object of its own, so that the others need not carry room for it.
    ///
    /// Under the request's lock, as what it belongs to.
    final class Extras {
        var id: UUID?
        var bodyStream: UploadRequest.Stream?
        var attemptRequest: URLRequest?
        var earlierMetrics: [TransportMetrics] = []
        var credential: URLCredential?
        var timeouts: RequestTimeouts?
        var redirectHandler: (any RedirectHandler)?
        var cachedResponseHandler: (any CachedResponseHandler)?
        var responseHandler: ResponseHandler?
        var heldEnd: TransportEnd?
        var progressHandlers = ProgressHandlers()
        var curlHandlers: [@Sendable (String) -> Void] = []
    }
}

extension Request.Guarded {
    private mutating func makeExtras() -> Request.Extras {
        if let extras { return extras }
        let made = Request.Extras()
        extras = made
        return made
    }

    var id: UUID? {
        get { extras?.id }
        set { makeExtras().id = newValue }
    }

    /// The stream of a `URLRequest` that was given to the transport: it can be read once.
    var bodyStream: UploadRequest.Stream? {
        get { extras?.bodyStream }
        set { makeExtras().bodyStream = newValue }
    }

    /// What the attempt under way began with; known only where there are monitors.
    var attemptRequest: URLRequest? {
        get { extras?.attemptRequest }
        set { makeExtras().attemptRequest = newValue }
    }

    /// Of the exchanges before the last one.
    var earlierMetrics: [TransportMetrics] {
        get { extras?.earlierMetrics ?? [] }
        set { makeExtras().earlierMetrics = newValue }
    }

    var credential: URLCredential? {
        get { extras?.credential }
        set { makeExtras().credential = newValue }
    }

    /// The request's own bounds.
    var timeouts: RequestTimeouts? {
        get { extras?.timeouts }
        set { makeExtras().timeouts = newValue }
    }

    var redirectHandler: (any RedirectHandler)? {
        get { extras?.redirectHandler }
        set { makeExtras().redirectHandler = newValue }
    }

    var cachedResponseHandler: (any CachedResponseHandler)? {
        get { extras?.cachedResponseHandler }
        set { makeExtras().cachedResponseHandler = newValue }
    }

    var responseHandler: ResponseHandler? {
        get { extras?.responseHandler }
        set { makeExtras().responseHandler = newValue }
    }

    /// The end of an exchange whose response the handler still thinks about.
    var heldEnd: TransportEnd? {
        get { extras?.heldEnd }
        set { makeExtras().heldEnd = newValue }
    }

    var progressHandlers: ProgressHandlers {
        get { extras?.progressHandlers ?? ProgressHandlers() }
        set { makeExtras().progressHandlers = newValue }
    }

    var curlHandlers: [@Sendable (String) -> Void] {
        get { extras?.curlHandlers ?? [] }
        set { makeExtras().curlHandlers = newValue }
    }
}
