import MoyaTransport
import Testing

@testable import MoyaURLSession

@Suite struct HTTPOriginURLSessionTests {
    @Test(arguments: [
        ("https://sample.test", "sample.test", 443), ("http://sample.test/path", "sample.test", 80),
        ("https://sample.test/path?query=1", "sample.test", 443), ("https://sample.test:8443?q", "sample.test", 8443),
        ("HTTPS://Sample.TEST./path", "sample.test", 443), ("https://xn--bcher-kva.test/", "xn--bcher-kva.test", 443),
        ("https://127.1/", "127.0.0.1", 443), ("https://[0:0:0::1]:8443/path", "::1", 8443),
        ("https://sample.test/?@else.test/", "sample.test", 443),
        ("https://sample.test/#@else.test", "sample.test", 443),
    ])
    func anOriginIsTheOneOfAnyURL(url: String, host: String, port: Int) throws {
        let origin = try #require(HTTPOrigin(requested: url))
        #expect(origin.isOverTLS == (port != 80))
        #expect(origin.host == host)
        #expect(origin.port == port)
    }

    @Test(arguments: ["", "https://", "https:///path", "https://sample..test/", "https://sample%2Etest/"])
    func aURLWithoutHostHasNone(url: String) {
        #expect(HTTPOrigin(requested: url) == nil)
    }
}
