import MoyaTransport
import MoyaURLSession
import Testing

#if os(Linux)
import Foundation

/// Settings that Foundation on Linux does not support are refused by name.
@Suite struct URLSessionSettingsTests {
    private struct Trusting: TransportTrustPolicy {
        func evaluate(_ server: PresentedServerTrust) throws {}
    }

    @Test func plainSettingsAreFine() {
        #expect(URLSessionTransport().configurationFailure == nil)
    }

    @Test(arguments: [
        ("certificateAuthorities", TransportConfiguration(certificateAuthorities: .certificates([Data([1])]))),
        ("trustPolicy", TransportConfiguration(trustPolicy: Trusting())),
        ("serverTrustManager", TransportConfiguration(trustPolicy: Trusting())),
        ("clientIdentity", TransportConfiguration(clientIdentity: .pkcs12(Data(), password: ""))),
        ("minimumTLSVersion", TransportConfiguration(minimumTLSVersion: .tls13)),
        ("httpVersions: .http1Only", TransportConfiguration(httpVersions: .http1Only)),
        ("httpVersions: .http2PriorKnowledge", TransportConfiguration(httpVersions: .http2PriorKnowledge)),
        ("unixSockets", TransportConfiguration(unixSockets: [.init(path: "/s", origin: "http://localhost")])),
        (
            "resolveOverrides",
            TransportConfiguration(resolveOverrides: [.init(host: "sample.test", port: 80, addresses: ["127.0.0.1"])])
        ),
        ("localEndpoint", TransportConfiguration(localEndpoint: .address("127.0.0.1"))),
        ("dnsServers", TransportConfiguration(dnsServers: ["127.0.0.1"])),
        ("happyEyeballsDelay", TransportConfiguration(happyEyeballsDelay: .zero)),
        ("tlsKeyLogFile", TransportConfiguration(tlsKeyLogFile: URL(fileURLWithPath: "/keys"))),
        ("proxy", TransportConfiguration(proxy: .custom(.init(.http, host: "localhost", port: 80)))),
    ])
    func settingThatCannotBeHonouredIsNamed(_ name: String, _ configuration: TransportConfiguration) throws {
        let failure = try #require(URLSessionTransport(configuration: configuration).configurationFailure)
        #expect(failure.kind == .unsupported)
        #expect(failure.message.contains(name))
    }

    @Test func namesAnInvalidOriginOfAnIdentity() throws {
        let configuration = TransportConfiguration(clientIdentityOrigins: ["else.test"])
        let failure = try #require(URLSessionTransport(configuration: configuration).configurationFailure)
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message.hasPrefix("clientIdentityOrigins: \"else.test\" is no origin"))
    }
}
#endif
