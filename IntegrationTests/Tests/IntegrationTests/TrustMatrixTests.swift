import Testing
import TrustMatrix

/// Every bad server with every evaluator; `make trust` counts bytes and handshakes too, which needs the servers to itself.
@Suite(.needsServers)
struct TrustMatrixTests {
    @Test(arguments: TrustCase.all)
    func aServerIsJudgedAsItIs(trustCase: TrustCase) async throws {
        let servers = try #require(TrustServers.running)
        let mark = uniqueMark()
        let outcome = try await trustCase.run(on: servers, mark: mark)
        #expect(outcome.reason == trustCase.expected, "\(outcome.text)")
        if trustCase.expected != TrustCase.accepted { #expect(servers.requests(marked: mark) == 0) }
    }
}
