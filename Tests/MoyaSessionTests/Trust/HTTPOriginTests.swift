import MoyaTransport
import Testing

@Suite struct HTTPOriginTests {
    @Test(arguments: [
        ("https://sample.test", "sample.test", 443), ("https://sample.test/", "sample.test", 443),
        ("HTTPS://Sample.Test.:443", "sample.test", 443), ("https://sample.test:8443", "sample.test", 8443),
        ("https://bücher.test", "xn--bcher-kva.test", 443), ("https://xn--bcher-kva.test", "xn--bcher-kva.test", 443),
        ("https://[0:0::1]:8443", "::1", 8443), ("https://127.1", "127.0.0.1", 443),
    ])
    func anOriginIsHostAndPort(text: String, host: String, port: Int) throws {
        let origin = try #require(HTTPOrigin(setting: text))
        #expect(origin.host == host)
        #expect(origin.port == port)
    }

    @Test(arguments: [
        "", "sample.test", "//sample.test", "http://sample.test", "https:sample.test", "https://", "https://:443",
        "https://sample.test/path", "https://sample.test?q", "https://sample.test#f", "https://user@sample.test",
        "https://user:word@sample.test", "https://*.sample.test", "https://sample.test:0", "https://sample.test:65536",
        "https://sample.test:x", "https://sample%2Etest", "https://sam ple.test", "wss://sample.test",
    ])
    func refusesMalformedOrigins(text: String) {
        #expect(HTTPOrigin(setting: text)?.isOverTLS != true)
        let configuration = TransportConfiguration(clientIdentityOrigins: ["https://sample.test", text])
        let failure = #expect(throws: TransportFailure.self) { try configuration.readIdentityOrigins() }
        #expect(failure?.kind == .tls(.clientCertificate))
        let shown = SecretMask.standard.url(text).debugDescription
        #expect(failure?.message.hasPrefix("clientIdentityOrigins: \(shown) ") == true)
    }

    @Test func everyServerIsNamedByDefault() throws {
        #expect(try TransportConfiguration().readIdentityOrigins() == nil)
    }

    @Test func anEmptyListIsAnError() {
        let failure = #expect(throws: TransportFailure.self) {
            try TransportConfiguration(clientIdentityOrigins: []).readIdentityOrigins()
        }
        #expect(failure?.message.contains("is empty") == true)
    }
}
