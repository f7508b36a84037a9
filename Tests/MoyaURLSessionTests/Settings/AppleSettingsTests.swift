import Foundation
import MoyaTransport
import Testing

@testable import MoyaURLSession

/// The decisions about settings on Apple's systems, which need none of their frameworks.
@Suite struct AppleSettingsTests {
    private typealias Proxy = TransportConfiguration.Proxy

    private func dictionary(_ setting: TransportConfiguration.ProxySetting) throws -> NSDictionary {
        try #require(URLSessionSettings.proxies(setting)) as NSDictionary
    }

    private func message(_ configuration: TransportConfiguration) -> String? {
        let error = #expect(throws: TransportFailure.self) { try URLSessionSettings.checkOnApple(configuration) }
        #expect(error?.kind == .unsupported)
        return error?.message
    }

    @Test func theEnvironmentIsTheSystemsSettings() {
        #expect(URLSessionSettings.proxies(.environment) == nil)
    }

    @Test func noProxyIsAnEmptyDictionary() throws {
        #expect(try dictionary(.none) == NSDictionary())
    }

    @Test func anHTTPProxyServesBothSchemes() throws {
        #expect(
            try dictionary(.custom(Proxy(.http, host: "p.test", port: 8080))) == [
                "HTTPEnable": 1, "HTTPProxy": "p.test", "HTTPPort": 8080, "HTTPSEnable": 1, "HTTPSProxy": "p.test",
                "HTTPSPort": 8080,
            ])
    }

    @Test func aSOCKSProxyIsOneOfSOCKS() throws {
        #expect(
            try dictionary(.custom(Proxy(.socks5, host: "p.test", port: 1080))) == [
                "SOCKSEnable": 1, "SOCKSProxy": "p.test", "SOCKSPort": 1080,
            ])
    }

    @Test(arguments: [
        TransportConfiguration(), TransportConfiguration(minimumTLSVersion: .tls13),
        TransportConfiguration(proxy: .none),
        TransportConfiguration(proxy: .custom(TransportConfiguration.Proxy(.http, host: "p.test", port: 1))),
        TransportConfiguration(proxy: .custom(TransportConfiguration.Proxy(.socks5, host: "p.test", port: 65_535))),
    ])
    func takesWhatURLSessionHas(_ configuration: TransportConfiguration) {
        #expect(throws: Never.self) { try URLSessionSettings.checkOnApple(configuration) }
    }

    @Test(arguments: [
        ("httpVersions: .http1Only", TransportConfiguration(httpVersions: .http1Only)),
        ("httpVersions: .http2PriorKnowledge", TransportConfiguration(httpVersions: .http2PriorKnowledge)),
        ("unixSockets", TransportConfiguration(unixSockets: [.init(path: "/s", origin: "http://h")])),
        (
            "resolveOverrides",
            TransportConfiguration(resolveOverrides: [.init(host: "sample.test", port: 80, addresses: ["127.0.0.1"])])
        ),
        ("localEndpoint", TransportConfiguration(localEndpoint: .address("127.0.0.1"))),
        ("localEndpoint", TransportConfiguration(localEndpoint: .interface("lo0"))),
        ("dnsServers", TransportConfiguration(dnsServers: ["192.0.2.53"])),
        ("happyEyeballsDelay", TransportConfiguration(happyEyeballsDelay: .zero)),
        ("tlsKeyLogFile", TransportConfiguration(tlsKeyLogFile: URL(fileURLWithPath: "/keys"))),
        ("proxy: https", TransportConfiguration(proxy: .custom(.init(.https, host: "p.test", port: 1)))),
        (
            "proxy: credentials",
            TransportConfiguration(
                proxy: .custom(
                    .init(.http, host: "p.test", port: 1, credentials: .init(user: "alice", password: "s3cret"))))
        ),
        (
            "proxy: exceptions",
            TransportConfiguration(proxy: .custom(.init(.http, host: "p.test", port: 1, exceptions: ["h"])))
        ),
    ])
    func namesASettingThatURLSessionLacks(_ setting: String, _ configuration: TransportConfiguration) {
        #expect(message(configuration)?.hasPrefix("\(setting) cannot be honoured: URLSession ") == true)
    }

    @Test func refusesCredentialsInTheHostOfAProxyWithoutQuotingThem() {
        let proxy = Proxy(.http, host: "alice:s3cret@p.test", port: 8080)
        let message = message(TransportConfiguration(proxy: .custom(proxy)))
        #expect(message?.hasPrefix("proxy: the host contains @.") == true)
    }

    @Test(arguments: [("", 8080), ("p.test", 0), ("p.test", -1), ("p.test", 65_536)])
    func namesAProxyThatIsNoHostAndPort(_ host: String, _ port: Int) {
        let message = message(TransportConfiguration(proxy: .custom(Proxy(.http, host: host, port: port))))
        #expect(message?.hasSuffix("is no host and port.") == true)
    }
}
