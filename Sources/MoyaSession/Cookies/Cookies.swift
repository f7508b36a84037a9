import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport stage that sends the cookies of a request and stores those of its response (RFC 6265bis).
///
/// A request with a `Cookie` field keeps it, and gets no other. If `httpShouldHandleCookies` of a `URLRequest` is off,
/// cookies are neither sent nor stored.
struct Cookies: WrappingTransport {
    let inner: any Transport
    let engine: CookieEngine
    /// `true` if cookies are sent.
    var sends = true
    /// `true` if cookies are stored.
    var stores = true

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        guard request.urlRequest?.httpShouldHandleCookies ?? true else { return inner.start(request, delivering: sink) }
        guard sends, let header = engine.cookieHeader(for: request) else { return pass(request, to: sink) }
        var request = request
        request.fields.append(HTTPField(name: "Cookie", value: header))
        return pass(request, to: sink)
    }

    private func pass(_ request: HTTPRequest, to sink: any TransportSink) -> any TransportExchange {
        guard stores, engine.storesCookies else { return inner.start(request, delivering: sink) }
        let exchange = CookieExchange(request, over: inner, engine, to: sink)
        exchange.start(request)
        return exchange
    }
}
