import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport stage that sends the cookies of a request and stores those of its response (RFC 6265bis).
///
/// A request with a `Cookie` field keeps it, and gets no other. If `httpShouldHandleCookies` of a `URLRequest` is off,
/// cookies are neither sent nor stored.
struct Cookies: Transport {
    let inner: any Transport
    let engine: CookieEngine
    /// `true` if cookies are sent.
    var sends = true
    /// `true` if cookies are stored.
    var stores = true

    var deliversWhereCodeMayBlock: Bool { inner.deliversWhereCodeMayBlock }
    var configurationFailure: TransportFailure? { inner.configurationFailure }
    var clientIdentityDigest: String? { inner.clientIdentityDigest }
    var authenticationSchemes: Set<TransportAuthentication.Scheme> { inner.authenticationSchemes }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        guard request.urlRequest?.httpShouldHandleCookies ?? true else { return inner.start(request, delivering: sink) }
        var request = request
        let header = sends ? engine.cookieHeader(for: request) : nil
        let exchange = stores && engine.storesCookies ? CookieExchange(request, over: inner, engine, to: sink) : nil
        if let header { request.fields.append(HTTPField(name: "Cookie", value: header)) }
        guard let exchange else { return inner.start(request, delivering: sink) }
        exchange.start(request)
        return exchange
    }
}
