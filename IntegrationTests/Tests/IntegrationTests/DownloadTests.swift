import Foundation
import Moya
import MoyaSession
import Testing

/// The destinations of downloads.
@Suite(.needsServers)
struct DownloadTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test func theDestinationGetsTheFileAndTheResponseNoData() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("small.json")
            let response = try await provider.request(download(to: file, []))
            #expect(response.data.isEmpty)
            #expect(try Data(contentsOf: file).count == 196)
        }
    }

    @Test func makesFoldersOnRequest() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("a/b/small.json")
            _ = try await provider.request(download(to: file, .createIntermediateDirectories))
            #expect(FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func replacesAnOlderFileOnRequest() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("small.json")
            try Data("old".utf8).write(to: file)
            _ = try await provider.request(download(to: file, .removePreviousFile))
            #expect(try Data(contentsOf: file).count == 196)
        }
    }

    @Test func anExistingFileIsAnErrorAndIsKeptByDefault() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("small.json")
            try Data("old".utf8).write(to: file)
            let error = await #expect(throws: MoyaError.self) { try await provider.request(download(to: file, [])) }
            #expect(error?.response?.statusCode == 200)
            #expect(try Data(contentsOf: file) == Data("old".utf8))
        }
    }

    @Test func parametersOfADownloadTravelInTheQuery() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("echo.json")
            let call = Call(
                baseURL: servers.httpbin, path: "/get",
                task: .downloadParameters(
                    parameters: ["page": 2], encoding: URLEncoding.queryString, destination: { _, _ in (file, []) }))
            _ = try await provider.request(call)
            #expect(try JSONDecoder().decode(Echo.self, from: Data(contentsOf: file)).args == ["page": "2"])
        }
    }

    private func download(to file: URL, _ options: DownloadRequest.Options) -> Call {
        Call(
            baseURL: servers.nginx, path: "/static/small.json",
            task: .downloadDestination { _, _ in (file, options) })
    }
}
