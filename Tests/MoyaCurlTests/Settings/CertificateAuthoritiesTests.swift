#if os(Linux)
import CMoyaCurl
import Foundation
import Glibc
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// The store of trusted root certificates that the connections of a session share.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: TestAuthority.isAvailable, "openssl is missing, which makes certificates and serves over TLS"))
struct CertificateAuthoritiesTests {
    private let authority: TestAuthority
    private let stranger: TestAuthority

    init() throws { (authority, stranger) = (try TestAuthority(), try TestAuthority()) }

    private func url(_ name: String, of authority: TestAuthority) -> URL {
        URL(fileURLWithPath: authority.folder[name])
    }

    private func transport(trusting file: URL) -> CurlTransport {
        .separate(TransportConfiguration(certificateAuthorities: .file(file), proxy: .none))
    }

    private func server() async throws -> TLSServer {
        try await TLSServer(authority, certificate: "good", options: "-www")
    }

    /// Another reader of the file would leave a descriptor to child processes.
    @Test func readsAFileOnceForAllConnections() async throws {
        let server = try await server()
        let events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        defer { close(events) }
        #expect(inotify_add_watch(events, authority.folder["root.pem"], UInt32(IN_OPEN)) >= 0)
        let transport = transport(trusting: url("root.pem", of: authority))
        for _ in 0..<3 {
            let answer = try await transport.run(server.request())
            #expect(answer.head?.status == 200, "\(answer.failure as Any)")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        // An event without a name has 16 bytes; equal ones that follow each other are reported once.
        let first = read(events, &buffer, buffer.count)
        #expect(first == 16)
    }

    @Test func readsAReplacedFileForTheNextConnection() async throws {
        let server = try await server()
        let file = url("chosen.pem", of: stranger)
        try FileManager.default.copyItem(at: url("root.pem", of: stranger), to: file)
        let transport = transport(trusting: file)
        let refused = try await transport.run(server.request())
        #expect(refused.kind == .tls(.untrusted), "\(refused.failure as Any)")
        try Data(contentsOf: url("root.pem", of: authority)).write(to: file, options: .atomic)
        let answer = try await transport.run(server.request())
        #expect(answer.head?.status == 200, "\(answer.failure as Any)")
    }

    // MARK: Resumed TLS sessions, of a server that ends each connection and tells how it began

    private static let versions = ["-tls1_2", "-tls1_3"]

    private func rewrite(_ file: URL, as content: [TestAuthority]) throws {
        let certificates = try content.map { try Data(contentsOf: url("root.pem", of: $0)) }
        try Data(certificates.joined()).write(to: file, options: .atomic)
    }

    @Test(arguments: versions) func resumesASessionWhileTheFileIsTheSame(version: String) async throws {
        let server = try await TLSServer(authority, certificate: "good", options: "-www \(version)")
        let transport = transport(trusting: url("root.pem", of: authority))
        let first = try await transport.run(server.request())
        #expect(first.text.contains("New, TLSv1"), "\(first.failure as Any)")
        let second = try await transport.run(server.request())
        #expect(second.text.contains("Reused, TLSv1"), "\(second.failure as Any)")
    }

    @Test(arguments: versions) func refusesAServerWhoseAuthorityWasRemoved(version: String) async throws {
        let server = try await TLSServer(authority, certificate: "good", options: "-www \(version)")
        let file = url("chosen.pem", of: stranger)
        try rewrite(file, as: [authority])
        let transport = transport(trusting: file)
        for _ in 0..<2 { _ = try await transport.run(server.request()) }
        try rewrite(file, as: [stranger])
        for _ in 0..<2 {
            let refused = try await transport.run(server.request())
            #expect(refused.kind == .tls(.untrusted), "\(refused.failure as Any) \(refused.text)")
        }
    }

    @Test(arguments: versions) func verifiesAServerAnewAfterTheFileHasChanged(version: String) async throws {
        let server = try await TLSServer(authority, certificate: "good", options: "-www \(version)")
        let file = url("chosen.pem", of: stranger)
        try rewrite(file, as: [authority])
        let transport = transport(trusting: file)
        for _ in 0..<2 { _ = try await transport.run(server.request()) }
        try rewrite(file, as: [authority, stranger])
        let verified = try await transport.run(server.request())
        #expect(verified.text.contains("New, TLSv1"), "\(verified.failure as Any)")
        let resumed = try await transport.run(server.request())
        #expect(resumed.text.contains("Reused, TLSv1"), "\(resumed.failure as Any)")
    }

    @Test func aFileThatVanishesEndsTheNextExchangeWithItsName() async throws {
        let server = try await server()
        let file = url("chosen.pem", of: stranger)
        try FileManager.default.copyItem(at: url("root.pem", of: authority), to: file)
        let transport = transport(trusting: file)
        try FileManager.default.removeItem(at: file)
        let answer = try await transport.run(server.request())
        #expect(answer.kind == .tls(.certificateAuthorities))
        #expect(answer.failure?.message.contains("chosen.pem cannot be opened: No such file") == true)
    }

    @Test func sharesTheStoreUntilTheFileChanges() throws {
        let authorities = try CertificateAuthorities.read(.file(url("root.pem", of: authority)))
        let stores = try (0..<2).map { _ in try authorities.retainedStore() }
        defer { stores.forEach(moya_authorities_release) }
        #expect(stores[0] == stores[1])
    }

    @Test func looksUpAnAuthorityInTheDirectory() throws {
        let root = try parsed(try authority.certificate("root"))
        let server = try parsed(try authority.certificate("good"))
        defer { [root, server].forEach(X509_free) }
        let link = authority.folder[hashedName(of: root)]
        let file = url("revoked.pem", of: stranger)
        let withDirectory = CertificateAuthorities(file: file, directory: authority.folder.path, name: "")
        #expect(try !isTrusted(server, by: withDirectory))
        #expect(symlink("root.pem", link) == 0)
        for _ in 0..<2 { #expect(try isTrusted(server, by: withDirectory)) }
        #expect(try !isTrusted(server, by: CertificateAuthorities(file: file, name: "")))
    }

    @Test func forgetsAnAuthorityThatTheDirectoryHasLost() throws {
        let root = try parsed(try authority.certificate("root"))
        let server = try parsed(try authority.certificate("good"))
        defer { [root, server].forEach(X509_free) }
        let folder = try SocketFolder()
        let link = folder[hashedName(of: root)]
        #expect(symlink(authority.folder["root.pem"], link) == 0)
        let authorities = CertificateAuthorities(file: nil, directory: folder.path, name: "")
        #expect(try isTrusted(server, by: authorities))
        #expect(unlink(link) == 0)
        #expect(try !isTrusted(server, by: authorities))
    }

    private func hashedName(of certificate: OpaquePointer) -> String {
        let name = String(X509_NAME_hash_ex(X509_get_subject_name(certificate), nil, nil, nil), radix: 16)
        return String(repeating: "0", count: 8 - name.count) + name + ".0"
    }

    private func parsed(_ der: Data) throws -> OpaquePointer {
        let certificate = der.withUnsafeBytes { bytes in
            var start = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_X509(nil, &start, bytes.count)
        }
        return try #require(certificate)
    }

    private func isTrusted(_ server: OpaquePointer, by authorities: CertificateAuthorities) throws -> Bool {
        let store = try authorities.retainedStore()
        let context = X509_STORE_CTX_new()
        defer {
            X509_STORE_CTX_free(context)
            moya_authorities_release(store)
        }
        #expect(X509_STORE_CTX_init(context, store, server, nil) == 1)
        return X509_verify_cert(context) == 1
    }

    @Test func aSystemWithoutAuthoritiesIsADescribedError() throws {
        let failure = "/nowhere/bundle.crt".withCString { path in
            var library = curl_version_info_data()
            library.age = CURLVERSION_SEVENTH
            library.cainfo = path
            let system = withUnsafePointer(to: library) { CertificateAuthorities(systemOf: $0) }
            return #expect(throws: TransportFailure.self) { try system.retainedStore() }
        }
        #expect(failure?.kind == .tls(.certificateAuthorities))
        #expect(
            failure?.message
                == "The system's certificate authorities: the file /nowhere/bundle.crt cannot be opened: No such file or "
                + "directory. Install the package ca-certificates, or set certificateAuthorities.")
    }
}
#endif
