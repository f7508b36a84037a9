import Foundation
import Moya
import Testing

/// Bodies of unknown length, and the events while they come.
@Suite(.needsServers)
struct HTTPBinStreamingTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test func aChunkedBodyArrivesWhole() async throws {
        let call = Call.get(servers.httpbin, "/stream-bytes/99999", query: ["chunk_size": 1000])
        let response = try await provider.request(call)
        #expect(response.response?.value(forHTTPHeaderField: "Content-Length") == nil)
        #expect(response.data.count == 99_999)
    }

    @Test func everyLineOfAStreamArrivesInOrder() async throws {
        struct Line: Decodable { let id: Int }
        let response = try await provider.request(.get(servers.httpbin, "/stream/50"))
        let lines = try response.mapString().split(separator: "\n")
        #expect(try lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)).id } == Array(0..<50))
    }

    @Test func anEmptyBodyIsEmptyData() async throws {
        #expect(try await provider.request(.get(servers.httpbin, "/bytes/0")).data == Data())
    }

    @Test func progressRisesAndEndsWithTheResponse() async throws {
        let call = Call.get(servers.httpbin, "/range/100000", query: ["duration": 1, "chunk_size": 10_000])
        var events: [ProgressResponse] = []
        for try await event in provider.progress(of: call) { events.append(event) }
        let last = try #require(events.last)
        #expect(events.count > 2)
        #expect(events.map(\.progress) == events.map(\.progress).sorted())
        #expect(events.dropLast().allSatisfy { !$0.completed })
        #expect(last.completed)
        #expect(last.progress == 1)
        #expect(last.response?.data.count == 100_000)
    }

    @Test func progressOfUnknownLengthIsZeroUntilTheEnd() async throws {
        let call = Call.get(servers.httpbin, "/stream-bytes/50000", query: ["chunk_size": 1000])
        var progress: [Double] = []
        for try await event in provider.progress(of: call) { progress.append(event.progress) }
        #expect(progress.last == 1)
        #expect(progress.dropLast().allSatisfy { $0 == 0 })
    }
}
