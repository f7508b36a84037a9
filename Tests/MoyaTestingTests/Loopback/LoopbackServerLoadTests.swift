import Foundation
import Testing

@testable import MoyaTesting

@Suite(.timeLimit(.minutes(3))) struct LoopbackServerLoadTests {
    #if os(Linux)
    @Test(.enabled(if: OpenFiles.raiseLimit(to: 4_096), "the process may not open 4,096 files"))
    func fifteenHundredConnectionsAreHeldAtOnceAndAllAnswered() async throws {
        let count = 1_500
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: exchange.request.path)
        }
        let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask {
                    let client = try RawClient(to: server)
                    try await client.send("GET /\(number) HTTP/1.1\r\n\r\n")
                    return try await client.receiveAnswer().body == "/\(number)"
                }
            }
            try await gate.waitForArrivals(count, within: .seconds(60))
            #expect(server.activity.openConnectionCount == count)
            gate.open()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answered == count)
    }

    @Test func everyDescriptorIsReleased() async {
        await #expect(processExitsWith: .success) {
            func round() async throws {
                let server = try await LoopbackServer { exchange in
                    switch exchange.request.path {
                    case "/reset": exchange.reset()
                    case "/close": exchange.close()
                    case "/stall": try await exchange.stallUntilClosed()
                    default: try await exchange.respond()
                    }
                }
                for path in ["/", "/reset", "/close", "/stall"] {
                    for _ in 0..<25 {
                        let client = try RawClient(to: server)
                        try await client.send("GET \(path) HTTP/1.1\r\n\r\n")
                        if path != "/stall" { _ = try? await client.receive() }
                        client.close()
                    }
                }
                await server.stopAndWait()
            }
            try await round()
            let before = try openDescriptors()
            for _ in 0..<5 { try await round() }
            #expect(try openDescriptors() == before)
        }
    }

    @Test func aReleasedServerClosesItsDescriptors() async {
        await #expect(processExitsWith: .success) {
            var server: LoopbackServer? = try await LoopbackServer { try await $0.stallUntilClosed() }
            let client = try RawClient(to: try #require(server))
            try await client.send(getRoot)
            try await server?.waitUntil { $0.requestCount == 1 }
            let hasEnded = try #require(server?.listening.hasEnded)
            let before = try openDescriptors()
            server = nil
            _ = try await hasEnded.when { $0 }
            // The port, the connection, and both ends of the pipe that wakes the thread.
            #expect(try openDescriptors() == before - 4)
        }
    }
    #endif
}

#if os(Linux)
/// The number of sockets and pipes of the process; the system's libraries open other things when they please.
private func openDescriptors() throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        return target?.hasPrefix("socket:") == true || target?.hasPrefix("pipe:") == true
    }.count
}
#endif
