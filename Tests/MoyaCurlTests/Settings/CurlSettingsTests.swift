#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaCurl

/// Settings that are found to be unusable when the transport is made; IntegrationTests use sound ones.
@Suite(.timeLimit(.minutes(3))) struct CurlSettingsTests {
    private let garbage = Data("garbage".utf8)

    private func failure(_ configuration: TransportConfiguration) throws -> TransportFailure {
        try #require(CurlTransport.separate(configuration).configurationFailure)
    }

    @Test func validSettingsAreAccepted() {
        #expect(CurlTransport.separate().configurationFailure == nil)
        let sound = TransportConfiguration(
            certificateAuthorities: .certificates([WireCertificates.root]), minimumTLSVersion: .tls13)
        #expect(CurlTransport.separate(sound).configurationFailure == nil)
    }

    @Test func anUnusableSettingEndsEveryExchange() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = CurlTransport.separate(TransportConfiguration(certificateAuthorities: .certificates([garbage])))
        for _ in 0..<2 {
            let answer = try await transport.run(server.request())
            #expect(answer.order == ["end"])
            #expect(answer.failure == transport.configurationFailure)
        }
        #expect(server.connectionCount == 0)
    }

    // MARK: Certificate authorities

    @Test func certificatesAreTakenInPEMAndInDERForm() throws {
        let der = try #require(CertificateForm.certificates(in: WireCertificates.root)?.first)
        let both = WireCertificates.root + WireCertificates.leaf
        let authorities = try CertificateAuthoritiesReader.read(.certificates([der, both]))
        #expect(authorities?.isEmpty == false)
    }

    @Test(arguments: [
        ([Data](), "list is empty"), ([Data()], "element 0 holds no certificate"),
        ([WireCertificates.root, Data("garbage".utf8)], "element 1"),
        (
            [WireCertificates.root + Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)],
            "element 0"
        ),
        ([Data([0x30, 0x03, 1, 2, 3])], "element 0"),
    ])
    func malformedCertificateIsNamedByItsIndex(certificates: [Data], text: String) throws {
        let failure = try failure(TransportConfiguration(certificateAuthorities: .certificates(certificates)))
        #expect(failure.kind == .tls(.certificateAuthorities))
        #expect(failure.message.hasPrefix("certificateAuthorities: "))
        #expect(failure.message.contains(text), "\(failure.message)")
    }

    @Test func aFileThatCannotBeReadIsNamed() throws {
        let missing = URL(fileURLWithPath: "/nowhere/authority.pem")
        let failure = try failure(TransportConfiguration(certificateAuthorities: .file(missing)))
        #expect(failure.kind == .tls(.certificateAuthorities))
        #expect(failure.message.contains("/nowhere/authority.pem"))
    }

    @Test func aFileWithoutCertificateIsNamed() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("moya-\(UUID().uuidString).pem")
        try garbage.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let failure = try failure(TransportConfiguration(certificateAuthorities: .file(file)))
        #expect(failure.kind == .tls(.certificateAuthorities))
        #expect(failure.message.contains(file.path))
    }

    // MARK: Client identity

    @Test(arguments: [
        (
            TransportConfiguration.ClientIdentity.pem(certificateChain: Data("x".utf8), privateKey: Data("x".utf8)),
            "certificate chain is missing or malformed"
        ),
        (.pem(certificateChain: Data(), privateKey: Data()), "certificate chain is missing or malformed"),
        (
            .pem(certificateChain: WireCertificates.leaf, privateKey: Data("x".utf8)),
            "private key is missing or malformed"
        ),
        (.pem(certificateChain: WireCertificates.leaf, privateKey: Data()), "private key is missing or malformed"),
        (.pkcs12(Data("x".utf8), password: ""), "archive is missing or malformed"),
        (.pkcs12(Data(), password: "p"), "archive is missing or malformed"),
    ])
    func anInvalidIdentityIsADescribedError(identity: TransportConfiguration.ClientIdentity, text: String) throws {
        let failure = try failure(TransportConfiguration(clientIdentity: identity))
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message.hasPrefix("clientIdentity: "))
        #expect(failure.message.contains(text), "\(failure.message)")
    }

    @Test func namesAnInvalidOriginOfAnIdentity() throws {
        let failure = try failure(TransportConfiguration(clientIdentityOrigins: ["https://sample.test", "else.test"]))
        #expect(failure.kind == .tls(.clientCertificate))
        #expect(failure.message.hasPrefix("clientIdentityOrigins: \"else.test\" is no origin"))
    }

    @Test func anIdentitysFileThatCannotBeReadIsNamed() throws {
        let missing = URL(fileURLWithPath: "/nowhere/client.p12")
        let error = #expect(throws: TransportFailure.self) {
            try TransportConfiguration.ClientIdentity.pkcs12(file: missing, password: "secret")
        }
        #expect(error?.kind == .tls(.clientCertificate))
        #expect(error?.message.contains("/nowhere/client.p12") == true)
    }

    @Test func anIdentityPrintsNeitherKeyNorPassword() {
        let identity = TransportConfiguration.ClientIdentity.pem(
            certificateChain: Data("chain".utf8), privateKey: Data("key".utf8), password: "secret")
        var dumped = ""
        dump(identity, to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), dumped] {
            #expect(!text.contains("secret") && !text.contains("key\""))
        }
    }
}
#endif
