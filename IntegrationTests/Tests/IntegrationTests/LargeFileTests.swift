import Foundation
import Moya
import Testing

/// 100 MiB in each direction, compared by SHA-256.
@Suite(.needsServers, .serialized, .timeLimit(.minutes(5)))
struct LargeFileTests {
    let servers: Servers
    let provider: MoyaProvider<Call>

    init() throws {
        servers = try #require(Servers.running)
        provider = MoyaProvider<Call>(session: .trusting(servers))
    }

    @Test(arguments: [false, true])
    func aFileIsUploadedWhole(overTLS: Bool) async throws {
        let name = uniqueMark()
        let call = Call(
            baseURL: base(overTLS), path: "/uploads/\(name)", method: .put, task: .uploadFile(servers.largeFile))
        #expect(try await provider.request(call).statusCode == 201)
        #expect(try sha256(of: servers.uploads.appendingPathComponent(name)) == sha256(of: servers.largeFile))
    }

    @Test(arguments: [false, true])
    func aFileIsDownloadedWhole(overTLS: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("large.bin")
            let call = Call(
                baseURL: base(overTLS), path: "/static/large.bin", task: .downloadDestination { _, _ in (file, []) })
            let response = try await provider.request(call)
            #expect(response.statusCode == 200)
            #expect(response.data.isEmpty)
            #expect(try sha256(of: file) == sha256(of: servers.largeFile))
        }
    }

    @Test func httpbinEchoesAnUploadedFile() async throws {
        let call = Call(
            baseURL: servers.httpbin, path: "/put", method: .put, task: .uploadFile(servers.largeFile),
            headers: ["Content-Type": "application/octet-stream"])
        let echo = try await provider.request(call).data
        let opening = try #require(echo.range(of: Data("base64,".utf8)))
        let closing = try #require(echo.range(of: Data("\"".utf8), in: opening.upperBound..<echo.endIndex))
        let bytes = try #require(Data(base64Encoded: echo[opening.upperBound..<closing.lowerBound]))
        #expect(try sha256(of: bytes) == sha256(of: servers.largeFile))
    }

    @Test func uploadProgressReachesTheWholeFile() async throws {
        let call = Call(
            baseURL: servers.nginx, path: "/uploads/\(uniqueMark())", method: .put,
            task: .uploadFile(servers.largeFile))
        var sent: [Int64] = []
        for try await event in provider.progress(of: call) {
            if let progress = event.progressObject { sent.append(progress.completedUnitCount) }
        }
        #expect(sent.last == 100 << 20)
        #expect(sent == sent.sorted())
    }

    @Test func downloadedBytesInMemoryAreWholeToo() async throws {
        let response = try await provider.request(.get(servers.nginx, "/static/large.bin"))
        #expect(response.data.count == 100 << 20)
        #expect(try sha256(of: response.data) == sha256(of: servers.largeFile))
    }

    private func base(_ overTLS: Bool) -> URL { overTLS ? servers.nginxTLS : servers.nginx }
}
