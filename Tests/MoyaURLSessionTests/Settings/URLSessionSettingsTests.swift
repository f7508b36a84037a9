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
        ("httpVersions", TransportConfiguration(httpVersions: .http1Only)),
        ("proxy", TransportConfiguration(proxy: .custom(.init(.http, host: "localhost", port: 80)))),
    ])
    func settingThatCannotBeHonouredIsNamed(_ name: String, _ configuration: TransportConfiguration) throws {
        let failure = try #require(URLSessionTransport(configuration: configuration).configurationFailure)
        #expect(failure.kind == .unsupported)
        #expect(failure.message.contains(name))
    }

    @Test func namesATextThatIsNoOriginOfAnIdentity() throws {
        let configuration = TransportConfiguration(clientIdentityOrigins: ["else.test"])
        let failure = try #require(URLSessionTransport(configuration: configuration).configurationFailure)
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message.hasPrefix("clientIdentityOrigins: \"else.test\" is no origin"))
    }
}
#endif
