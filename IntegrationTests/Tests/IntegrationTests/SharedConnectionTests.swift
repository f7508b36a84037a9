import Foundation
import Moya
import MoyaSession
import Testing

/// Exchanges at once over connections that libcurl may share, each with different bytes.
@Suite(.needsServers, .serialized, .timeLimit(.minutes(5)))
struct SharedConnectionTests {
    let servers: Servers
    let mark = uniqueMark()

    init() throws { servers = try #require(Servers.running) }

    /// Writes a file whose bytes tell it from others, and returns its URL on the server.
    private func file(_ number: Int, count: Int) throws -> URL {
        let name = "\(mark)-\(number)"
        try Data(repeating: UInt8(truncatingIfNeeded: number), count: count)
            .write(to: servers.uploads.appendingPathComponent(name))
        return servers.nginxTLS.appendingPathComponent("uploads/\(name)")
    }

    private func received(_ name: String) throws -> Data {
        try Data(contentsOf: servers.uploads.appendingPathComponent(name))
    }

    @Test func aPausedExchangeThatIsCancelledLeavesNoBytesToTheNext() async throws {
        let session = Session.trusting(servers)
        let (large, small) = (try file(1, count: 1 << 20), try file(2, count: 5000))
        let others = try (3..<6).map { try file($0, count: 4 << 20) }
        for _ in 0..<10 {
            await withTaskGroup(of: Void.self) { group in
                for (number, url) in others.enumerated() {
                    group.addTask {
                        let response = await session.request(url).outcome()
                        #expect(response.data == Data(repeating: UInt8(number + 3), count: 4 << 20))
                    }
                }
                let paused = PausedAtHead(session.request(large))
                _ = await paused.decide()
                paused.request.cancel()
                _ = await paused.outcome.value
                let next = PausedAtHead(session.request(small))
                let decide = await next.decide()
                decide(.allow)
                #expect(await next.outcome.value.data == Data(repeating: 2, count: 5000))
            }
        }
    }

    @Test func bodiesOfUnknownLengthMixWithNoOtherExchange() async throws {
        let session = Session.trusting(servers)
        let download = try file(7, count: 2 << 20)
        let counts = [1, 5_000, 100_000, 1_000_000]
        for round in 0..<3 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        let name = "\(mark)-\(round)-\(number)"
                        let content = Data(repeating: UInt8(number), count: counts[number % counts.count])
                        let body = UploadStream(
                            AsyncStream { continuation in
                                for start in stride(from: 0, to: content.count, by: 7_919) {
                                    continuation.yield(content[start..<min(start + 7_919, content.count)])
                                }
                                continuation.finish()
                            })
                        let url = servers.nginxTLS.appendingPathComponent("uploads/\(name)")
                        let response = await session.upload(body, to: url, method: .put).outcome()
                        #expect(response.response?.statusCode == 201)
                        #expect((try? received(name)) == content)
                    }
                    group.addTask {
                        let response = await session.request(download).outcome()
                        #expect(response.data == Data(repeating: 7, count: 2 << 20))
                    }
                }
            }
        }
    }
}

/// Of that suite, since it starts the same Apache.
extension HTTP2StreamTests {
    /// Every second head is too long for a stream.
    @Test func responsesOfBothVersionsAreNotSwapped() async throws {
        let apache = try await apache()
        let session = Session.trusting(servers)
        let long = HTTPHeaders(["X-Long": String(repeating: "a", count: 70_000)])
        for round in 0..<20 {
            let gate = "\(mark)-\(round)"
            let ends = await withTaskGroup(of: (Int, AFDataResponse<Data?>).self) { group in
                for number in 0..<10 {
                    group.addTask {
                        let request = session.request(
                            apache.url.appendingPathComponent("gated/\(gate)"),
                            parameters: ["before": 1000 + number, "after": 100_000 * number],
                            encoding: URLEncoding.queryString, headers: number.isMultiple(of: 2) ? long : nil)
                        return (number, await request.outcome())
                    }
                }
                group.addTask {
                    try? await servers.origin.open(gate)
                    return (-1, await session.request(apache.url.appendingPathComponent("taken/\(gate)")).outcome())
                }
                return await group.reduce(into: [Int: AFDataResponse<Data?>]()) { $0[$1.0] = $1.1 }
            }
            for (number, response) in ends where number >= 0 {
                #expect(response.response?.statusCode == 200, "\(response.error as Any)")
                #expect(response.data?.count == 1000 + number + 100_000 * number)
            }
        }
    }
}

/// A request whose exchange is paused at the head of its response.
private struct PausedAtHead {
    typealias Decision = @Sendable (Request.ResponseDisposition) -> Void

    let request: DataRequest
    let outcome: _Concurrency.Task<AFDataResponse<Data?>, Never>
    private let decisions: AsyncStream<Decision>

    init(_ request: DataRequest) {
        let (decisions, continuation) = AsyncStream<Decision>.makeStream()
        self.request = request.onHTTPResponse(on: .global()) { _, decide in continuation.yield(decide) }
        self.decisions = decisions
        outcome = _Concurrency.Task { await request.outcome() }
    }

    /// Waits for the head, and returns the closure that takes the decision.
    func decide() async -> Decision {
        for await decision in decisions { return decision }
        return { _ in }
    }
}
