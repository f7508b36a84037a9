import Foundation
import Moya
import Testing

/// nginx logs the connection of each request.
@Suite(.needsServers)
struct KeepAliveTests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    @Test func fiftyCallsUseOneConnection() async throws {
        let mark = uniqueMark()
        let provider = MoyaProvider<Call>()
        for _ in 0..<50 {
            let response = try await provider.request(
                .get(servers.nginx, "/static/small.json", query: ["m": mark]))
            #expect(response.statusCode == 200)
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 50)
        #expect(entries.count == 50)
        #expect(Set(entries.map(\.connection)).count == 1)
        #expect(entries.map(\.numberOnConnection) == Array(1...50))
    }

    @Test func fiftyCallsOverTLSUseOneConnection() async throws {
        let mark = uniqueMark()
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        for _ in 0..<50 {
            _ = try await provider.request(.get(servers.nginxTLS, "/static/small.json", query: ["m": mark]))
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 50)
        #expect(entries.count == 50)
        #expect(Set(entries.map(\.connection)).count == 1)
    }

    @Test func uploadsAndErrorsKeepTheConnection() async throws {
        let mark = uniqueMark()
        let provider = MoyaProvider<Call>()
        for iteration in 0..<10 {
            let post = Call(
                baseURL: servers.nginx, path: "/consume", method: .post,
                task: .requestCompositeData(bodyData: Data(count: iteration * 10_000), urlParameters: ["m": mark]))
            #expect(try await provider.request(post).statusCode == 200)
            let missing = Call.get(servers.nginx, "/static/missing", query: ["m": mark])
            #expect(try await provider.request(missing).statusCode == 404)
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 20)
        #expect(entries.count == 20)
        #expect(Set(entries.map(\.connection)).count == 1)
    }

    @Test func noMoreConnectionsOpenThanTheSessionAllows() async throws {
        let mark = uniqueMark()
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 3
        let provider = MoyaProvider<Call>(
            session: Session(configuration: configuration, startRequestsImmediately: false))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    try await provider.request(.get(servers.nginx, "/static/small.json", query: ["m": mark]))
                        .statusCode
                }
            }
            for try await status in group { #expect(status == 200) }
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 60)
        #expect(entries.count == 60)
        #expect(Set(entries.map(\.connection)).count <= 3)
    }
}
