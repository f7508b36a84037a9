import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CookiesTests {
    private let storage: HTTPCookieStorage
    private let wire = SteppedTransport()

    private var cookies: Cookies {
        Cookies(inner: wire, engine: CookieEngine(storage: storage, acceptPolicy: .always, suffixes: .builtIn))
    }

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        storage.cookieAcceptPolicy = .always
    }

    private func send(_ urlRequest: URLRequest) { _ = cookies.start(HTTPRequest(urlRequest), delivering: Sink()) }

    private func sentCookie(_ index: Int) -> String? {
        wire.exchanges[index].request.fields.first { $0.name == "Cookie" }?.value
    }

    @Test(arguments: [0x01, 0x0D, 0x1F, 0x7F] as [UInt8])
    func ignoresACookieWithAControlCharacter(_ control: UInt8) {
        let section = Array("Set-Cookie: a=b".utf8) + [control] + Array("c\r\nSet-Cookie: d=e\r\n".utf8)
        let head = TransportResponseHead(status: 200, version: "HTTP/1.1", section: section)
        #expect(head.values(for: "set-cookie") == ["d=e"])
    }

    @Test func storesEverySetCookieFieldOfAHeadAndSendsThemNext() throws {
        send(.to("http://e.com/x"))
        wire.exchanges[0].respond(302, [("set-cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/")])
        send(.to("http://e.com/"))
        #expect(sentCookie(0) == nil)
        #expect(sentCookie(1) == "a=1; b=2")
    }

    @Test func leavesTheCookieFieldOfTheRequestUnchanged() throws {
        send(.to("http://e.com/"))
        wire.exchanges[0].respond(200, [("Set-Cookie", "a=1")])
        var request = URLRequest.to("http://e.com/")
        request.setValue("own=1", forHTTPHeaderField: "Cookie")
        send(request)
        #expect(wire.exchanges[1].request.fields.filter { $0.name == "Cookie" }.map(\.value) == ["own=1"])
    }

    @Test func leavesARequestWithoutCookieHandlingUnchanged() throws {
        send(.to("http://e.com/"))
        wire.exchanges[0].respond(200, [("Set-Cookie", "a=1")])
        var request = URLRequest.to("http://e.com/")
        request.httpShouldHandleCookies = false
        send(request)
        wire.exchanges[1].respond(200, [("Set-Cookie", "c=d")])
        #expect(sentCookie(1) == nil)
        #expect(storage.cookies?.map(\.name) == ["a"])
    }
}

/// Takes events and wants more.
private final class Sink: TransportSink {
    func receive(_ event: TransportEvent) -> TransportDemand { .more }
}
