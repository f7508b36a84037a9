import Testing

@testable import MoyaTesting

@Suite(.timeLimit(.minutes(3))) struct RawListenerTests {
    @Test func receivesOfClientsThatAreNotYetAccepted() async throws {
        for _ in 0..<50 {
            let listener = try RawListener()
            let client = try RawClient(port: listener.port)
            _ = try client.sendWhatFits([UInt8]("x".utf8))
            client.close()
            #expect(try await listener.received() == ["x"])
        }
    }

    @Test func anUnusedListenerReceivesNothing() async throws {
        #expect(try await RawListener().received() == [])
    }
}
