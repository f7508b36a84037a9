#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

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
            certificateAuthorities: .certificates([SampleCertificates.root]), minimumTLSVersion: .tls13)
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
        let der = try #require(CertificateForm.certificates(in: SampleCertificates.root)?.first)
        let both = SampleCertificates.root + SampleCertificates.leaf
        #expect(throws: Never.self) { try CertificateAuthorities.read(.certificates([der, both])) }
    }

    @Test(arguments: [
        ([Data](), "list is empty"), ([Data()], "element 0 holds no certificate"),
        ([SampleCertificates.root, Data("garbage".utf8)], "element 1"),
        (
            [SampleCertificates.root + Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)],
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

    /// In a process without a terminal: OpenSSL would read the password from its standard input.
    @Test func noPasswordOfAnEncryptedCertificateIsAskedFor() async {
        await #expect(processExitsWith: .success) {
            alarm(20)
            _ = setsid()
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            #expect(write(ends[1], "marker\n", 7) == 7)
            dup2(ends[0], STDIN_FILENO)
            #expect(throws: TransportFailure.self) {
                try CertificateAuthorities.read(.certificates([SampleCertificates.encrypted]))
            }
            var unread: Int32 = 0
            #expect(ioctl(ends[0], UInt(FIONREAD), &unread) == 0)
            #expect(unread == 7)
        }
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
            .pem(certificateChain: SampleCertificates.leaf, privateKey: Data("x".utf8)),
            "private key is missing or malformed"
        ),
        (.pem(certificateChain: SampleCertificates.leaf, privateKey: Data()), "private key is missing or malformed"),
        (.pkcs12(Data("x".utf8), password: ""), "archive is missing or malformed"),
        (.pkcs12(Data(), password: "p"), "archive is missing or malformed"),
        (.pkcs12(Data(), password: "p\0q"), "password cannot contain NUL"),
        (
            .pem(certificateChain: SampleCertificates.leaf, privateKey: Data("x".utf8), password: "\0"),
            "password cannot contain NUL"
        ),
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

    // MARK: Files

    /// Foundation would fetch the file over the network.
    @Test func noCredentialIsReadFromTheNetwork() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "file") }
        typealias Identity = TransportConfiguration.ClientIdentity
        let url = server.url.appendingPathComponent("client.p12")
        let read: [() throws -> Void] = [
            { _ = try Identity.pkcs12(file: url, password: "") },
            { _ = try Identity.pem(certificateChainFile: url, privateKeyFile: url) },
            { _ = try CertificateAuthorities.read(.file(url)) },
        ]
        for read in read {
            let failure = #expect(throws: TransportFailure.self) { try read() }
            #expect(failure?.message.contains("is a URL with the scheme \"http\"") == true)
        }
        let failure = try failure(TransportConfiguration(certificateAuthorities: .file(url)))
        #expect(failure.kind == .tls(.certificateAuthorities))
        #expect(server.connectionCount == 0)
    }

    /// The path of the URL is that of a certificate.
    @Test func aURLOfAnotherSchemeIsNotAFile() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("moya-\(UUID().uuidString).pem")
        try SampleCertificates.root.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let url = try #require(URL(string: "https://localhost\(file.path)"))
        let failure = try failure(TransportConfiguration(certificateAuthorities: .file(url)))
        #expect(failure.message.contains("\(file.path) is a URL with the scheme \"https\""))
    }

    @Test(arguments: ["/dev/zero", "/"]) func anIdentityIsReadFromARegularFileOnly(path: String) {
        let failure = #expect(throws: TransportFailure.self) {
            try TransportConfiguration.ClientIdentity.pkcs12(file: URL(fileURLWithPath: path), password: "")
        }
        #expect(failure?.kind == .tls(.clientCertificate))
        #expect(failure?.message.contains("not a regular file") == true)
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
