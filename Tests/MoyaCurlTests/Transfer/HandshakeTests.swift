#if os(Linux)
import Testing

@testable import MoyaCurl

/// IntegrationTests shake hands; here is what needs no server.
@Suite struct HandshakeTests {
    @Test(arguments: [
        ("https://sample.test/path", "sample.test"), ("https://sample.test:8443", "sample.test"),
        ("https://127.0.0.1/", "127.0.0.1"), ("https://[::1]:8443/", "::1"),
    ])
    func aHostIsTheOneOfTheURL(url: String, host: String) {
        #expect(Handshake.host(in: url) == host)
    }

    @Test func theRootsDotBehindAHostIsNoWayRoundItsPins() {
        #expect(Handshake.host(in: "https://sample.test./path") == "sample.test")
    }
}
#endif
