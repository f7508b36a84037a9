import Foundation
import Moya
import MoyaSession
import Testing

/// Truncated HTTP/2 responses without a stated length, which must be errors.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct CutStreamTests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    private func half(cutBy line: String) async throws -> AFDataResponse<Data?> {
        let server = try await StreamServer(of: servers)
        try await server.set(line)
        let session = Session.trusting(servers)
        let end = await session.request(try server.url()).timeouts(Deadlines(total: .seconds(20))).outcomeOnceUnderWay()
        try await server.set("go")
        return await end.value
    }

    @Test(arguments: [
        "reset 0", "reset 1", "reset 2", "reset 3", "reset 5", "reset 7", "reset 8", "reset 11", "reset 13", "goaway 0",
        "goaway 1", "goaway 2", "close", "oversized",
    ])
    func areErrors(cut: String) async throws {
        let failure = try #require(try await half(cutBy: cut).error?.transportFailure)
        #expect([.reset, .truncated, .protocolViolation].contains(failure.kind), "\(failure)")
    }
}
