#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct CurlLoopTests {
    @Test func aThousandExchangesAtOnceAllEndOnceOverFewConnections() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let transport = CurlTransport.separate()
        let running = (0..<1_000).map { transport.begin(server.request("GET", "/\($0)")) }
        for (number, one) in running.enumerated() {
            let recording = try await one.sink.waitForEnd()
            #expect(recording.text == "/\(number)")
            #expect(recording.failure == nil)
        }
        try await transport.settle()
        #expect(running.allSatisfy { $0.sink.heard.ends.count == 1 })
        #expect(server.connectionCount <= 6)
        #expect(server.requestCount == 1_000)
    }

    @Test(.enabled(if: OpenFiles.raiseLimit(to: 4_096), "the process may not open 4,096 files"))
    func aThousandExchangesOnAThousandConnectionsAllEndOnce() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: exchange.request.path)
        }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1_000))
        let running = (0..<1_000).map { transport.begin(server.request("GET", "/\($0)")) }
        try await gate.waitForArrivals(1_000, within: .seconds(60))
        #expect(server.connectionCount == 1_000)
        gate.open()
        for (number, one) in running.enumerated() {
            #expect(try await one.sink.waitForEnd().text == "/\(number)")
        }
        try await transport.settle()
        #expect(running.allSatisfy { $0.sink.heard.ends.count == 1 })
    }

    @Test func exchangesMayBeStartedFromManyTasks() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let transport = CurlTransport.separate()
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        let path = "/\(task)/\(number)"
                        guard try await transport.run(server.request("GET", path)).text == path else { return false }
                    }
                    return true
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(right)
        #expect(server.requestCount == 400)
    }

    @Test func manyTransportsShareOneLoop() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "x") }
        let loop = CurlLoop(name: "many")
        for _ in 0..<200 {
            #expect(try await CurlTransport(loop: loop).run(server.request()).text == "x")
        }
        #expect(server.connectionCount == 200)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func descriptorsAreReleased() async {
        await #expect(processExitsWith: .success) {
            func round() async throws {
                let server = try await LoopbackServer { exchange in
                    switch exchange.request.path {
                    case "/reset": exchange.reset()
                    case "/stall": try await exchange.stallUntilClosed()
                    default: try await exchange.respond(body: "x")
                    }
                }
                let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
                try Data(count: 100_000).write(to: file)
                defer { try? FileManager.default.removeItem(at: file) }
                let transport = CurlTransport(loop: .shared)
                for path in ["/", "/reset", "/stall"] {
                    for _ in 0..<20 {
                        let running = transport.begin(
                            server.request("PUT", path, body: .file(file, length: 100_000)))
                        if path == "/stall" { running.handle.cancel() }
                        _ = try await running.sink.waitForEnd()
                    }
                }
                try await transport.settle()
                await server.stopAndWait()
            }
            func settled() async throws {
                // A command closes a released transport, and the next transport's command follows it.
                try await CurlTransport(loop: .shared).settle()
            }
            try await round()
            try await settled()
            let before = try OpenFiles.count()
            for _ in 0..<5 { try await round() }
            try await settled()
            // The last transport may not have closed its pair of sockets yet.
            #expect(try OpenFiles.count() <= before + 2)
        }
    }

    /// In separate processes, several times, since the outcome depends on the moment.
    @Test(arguments: 0..<10) func aProcessEndsWhileItsLoopsUseTLS(_: Int) async {
        await #expect(processExitsWith: .success) {
            let server = try await LoopbackServer(onConnection: { $0.close() }) { _ in }
            let url = "https://127.0.0.1:\(server.port)/"
            for number in 0..<4 {
                let transport = CurlTransport(loop: CurlLoop(name: "test-\(number)"))
                for _ in 0..<40 {
                    Task.detached {
                        // Each handshake fails, after the trusted certificates were read.
                        while true { _ = try await transport.run(HTTPRequest(method: "GET", url: url)) }
                    }
                }
            }
            try await server.waitUntil { $0.connectionCount > 30 }
            exit(0)
        }
    }

    @Test func aTransportWithoutExchangesOpensNothing() async {
        await #expect(processExitsWith: .success) {
            func opened() throws -> Int {
                let before = try OpenFiles.count()
                let loop = CurlLoop(name: "unused")
                for _ in 0..<3 { _ = CurlTransport(loop: loop) }
                return try OpenFiles.count() - before
            }
            // The rest of the process, too, may open or close a descriptor meanwhile.
            let isUnchanged = try (0..<5).contains { _ in try opened() == 0 }
            #expect(isUnchanged)
        }
    }

    @Test func releasingALoopEndsItsThreadAndClosesItsDescriptors() async {
        await #expect(processExitsWith: .success) {
            let server = try await LoopbackServer { try await $0.respond() }
            func use() async throws {
                let transport = CurlTransport.separate()
                _ = try await transport.run(server.request())
            }
            try await use()
            try await server.waitUntil { $0.openConnectionCount == 0 }
            let before = try OpenFiles.count()
            for _ in 0..<20 { try await use() }
            try await server.waitUntil { $0.openConnectionCount == 0 }
            // Each loop has several. A wait with a timer may have made Dispatch open some, which the process keeps.
            let most = before + 10
            // The threads of the loops close their descriptors when they get to run.
            let end = ContinuousClock.now + .seconds(30)
            while try OpenFiles.count() > most, ContinuousClock.now < end { await Task.yield() }
            #expect(try OpenFiles.count() <= most)
        }
    }
}
#endif
