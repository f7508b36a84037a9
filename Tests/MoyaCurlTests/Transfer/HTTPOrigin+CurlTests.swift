#if os(Linux)
import MoyaTransport
import Testing

@testable import MoyaCurl

@Suite struct HTTPOriginCurlTests {
    @Test(arguments: [
        ("https://sample.test/path", "sample.test", 443), ("https://sample.test:8443", "sample.test", 8443),
        ("https://Sample.TEST./path", "sample.test", 443), ("https://xn--bcher-kva.test/", "xn--bcher-kva.test", 443),
        ("https://127.0.0.1/", "127.0.0.1", 443), ("https://127.1/", "127.0.0.1", 443),
        ("https://[::1]:8443/", "::1", 8443), ("https://[0:0:0::1]/", "::1", 443),
        ("https://[fe80::1%25eth0]/", "fe80::1", 443), ("https://user:word@sample.test/", "sample.test", 443),
        ("https://else.test@sample.test/", "sample.test", 443), ("https://sample.test?@else.test/", "sample.test", 443),
        ("https://sample.test#@else.test/", "sample.test", 443),
    ])
    func anOriginIsTheOneThatLibcurlConnectsTo(url: String, host: String, port: Int) throws {
        let origin = try #require(HTTPOrigin(requested: url))
        #expect(origin.host == host)
        #expect(origin.port == port)
    }

    @Test(arguments: [
        "", "https://", "https://*.sample.test/", "https://.sample.test/", "https://sample..test/",
        "https://sample.test%00.else.test/", "https://sample.test:0x1/", "https://[::g]/",
    ])
    func aURLWithoutHostHasNone(url: String) {
        #expect(HTTPOrigin(requested: url) == nil)
    }
}
#endif
