import Foundation
import Testing

@testable import MoyaTesting

@Suite(.timeLimit(.minutes(3))) struct DeadPortTests {
    @Test(arguments: [LoopbackServer.AddressFamily.ipv4, .ipv6])
    func aClosedPortRefuses(_ family: LoopbackServer.AddressFamily) async throws {
        let closed = try ClosedPort(family)
        // The kernel decides if the first call or the second gets the error.
        await #expect {
            let client = try RawClient(port: closed.port, family)
            try await client.send("x")
        } throws: { error in
            guard case TestSupportError.system(_, ECONNREFUSED) = error else { return false }
            return true
        }
        withExtendedLifetime(closed) {}
    }

    @Test func anUnansweredPortNeitherConnectsNorRefuses() throws {
        let silent = try UnansweredPort()
        let descriptor = try SocketDescriptor.stream(.ipv4)
        defer { descriptor.shut() }
        try descriptor.beginConnecting(.ipv4, port: silent.port)
        var wait = pollfd(fd: descriptor.number, events: Int16(POLLOUT), revents: 0)
        #expect(poll(&wait, 1, 200) == 0)
        withExtendedLifetime(silent) {}
    }
}
