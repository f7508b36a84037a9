#if os(Linux)
import CMoyaCurl
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// Calls with a libcurl that is too old or lacks something, which its description says.
@Suite(.timeLimit(.minutes(3))) struct UnsupportedLibraryTests {
    private let loop = CurlLoop(name: "test")

    private func transport(
        _ version: CurlVersion, without missing: Int32, _ configuration: TransportConfiguration = .init(proxy: .none)
    ) -> CurlTransport {
        let library = CurlLibrary(
            version: version, features: CurlLibrary.loaded.features & ~missing, hasDNSServers: false)
        return CurlTransport(configuration: configuration, loops: [loop], library: library)
    }

    @Test func everyCallWithAnOldLibraryWithoutTLSFails() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = transport(CurlVersion(7, 70), without: CURL_VERSION_SSL)
        for _ in 0..<2 {
            let failure = try #require(await transport.run(server.request()).failure)
            #expect(failure.kind == .unsupported)
            #expect(
                failure.message.hasPrefix(
                    "This process has loaded libcurl 7.70.0, which is too old: Moya needs 7.81.0 or newer."))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func aCallOverTLSFailsWithoutTLS() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = transport(.oldest, without: CURL_VERSION_SSL)
        let failure = try #require(
            await transport.run(HTTPRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/")).failure)
        #expect(failure.kind == .unsupported)
        #expect(
            failure.message.hasPrefix("This process has loaded a libcurl 7.81.0 that was built without TLS."),
            "\(failure.message)")
        #expect(server.connectionCount == 0)
    }

    @Test func aCallByPriorKnowledgeFailsWithoutHTTP2() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = transport(
            CurlVersion(8, 14, 1), without: CURL_VERSION_HTTP2,
            TransportConfiguration(httpVersions: .http2PriorKnowledge, proxy: .none))
        let failure = try #require(await transport.run(server.request()).failure)
        #expect(failure.kind == .unsupported)
        #expect(
            failure.message.hasPrefix("This process has loaded a libcurl 8.14.1 that was built without HTTP/2."),
            "\(failure.message)")
        #expect(server.requests.isEmpty)
    }

    /// The transport removes codings itself, and asks for those whose libraries it finds.
    @Test func callsSucceedWithoutTheCodingsOfOtherLibraries() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "plain") }
        let transport = transport(.oldest, without: CURL_VERSION_BROTLI | CURL_VERSION_ZSTD)
        #expect(try await transport.run(server.request()).text == "plain")
    }
}
#endif
