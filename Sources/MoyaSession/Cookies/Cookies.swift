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
        let sink = stores && engine.storesCookies ? CookieSink(request: request, engine: engine, sink: sink) : sink
        guard sends, let header = engine.cookieHeader(for: request) else {
            return inner.start(request, delivering: sink)
        }
        var request = request
        request.fields.append(HTTPField(name: "Cookie", value: header))
        return inner.start(request, delivering: sink)
    }
}

/// Stores the cookies of an exchange's heads, before the head is delivered.
final class CookieSink: TransportSink {
    private let url: String
    private let mainDocumentURL: URL?
    private let engine: CookieEngine
    private let sink: any TransportSink

    init(request: HTTPRequest, engine: CookieEngine, sink: any TransportSink) {
        url = request.url
        mainDocumentURL = request.urlRequest?.mainDocumentURL
        self.engine = engine
        self.sink = sink
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        if case .head(let head) = event, head.value(for: "set-cookie") != nil, let url = URL(string: url) {
            engine.store(setCookieFields: head.values(for: "set-cookie"), from: url, mainDocumentURL: mainDocumentURL)
        }
        return sink.receive(event)
    }
}
