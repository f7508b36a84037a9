import Foundation
import Moya
import Testing

/// Bodies that a server compressed arrive as they were before.
@Suite(.needsServers)
struct ContentCodingTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test(arguments: [("/gzip", "gzipped"), ("/deflate", "deflated"), ("/brotli", "brotli")])
    func aCompressedBodyIsDecoded(path: String, flag: String) async throws {
        let response = try await provider.request(.get(servers.httpbin, path))
        #expect(try response.map(Bool.self, atKeyPath: flag))
    }

    @Test func gzipFromNginxIsDecoded() async throws {
        let plain = try await provider.request(.get(servers.nginx, "/static/small.json"))
        let compressed = try await provider.request(.get(servers.nginx, "/gzip/small.json"))
        #expect(plain.data.count == 196)
        #expect(compressed.data == plain.data)
    }

    @Test func gzipOverHTTP2IsDecoded() async throws {
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        let response = try await provider.request(.get(servers.nginxTLS, "/gzip/small.json"))
        #expect(response.data.count == 196)
    }

    @Test func aCompressedDownloadIsDecoded() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("small.json")
            let call = Call(
                baseURL: servers.nginx, path: "/gzip/small.json", task: .downloadDestination { _, _ in (file, []) })
            _ = try await provider.request(call)
            #expect(try Data(contentsOf: file).count == 196)
        }
    }
}
