import Foundation
import MoyaTransport
import Testing

@testable import MoyaTesting

@Suite(.timeLimit(.minutes(3))) struct LoopbackServerTests {
    @Test func theURLNamesLoopbackAndThePort() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        #expect(server.url.absoluteString == "http://127.0.0.1:\(server.port)")
    }

    @Test func theIPv6URLHasBracketsAndAnswers() async throws {
        let server = try await LoopbackServer(.init(addressFamily: .ipv6)) { try await $0.respond(body: "six") }
        #expect(server.url.absoluteString == "http://[::1]:\(server.port)")
        let client = try RawClient(to: server, .ipv6)
        try await client.send(getRoot)
        #expect(try await client.receiveAnswer().body == "six")
    }

    @Test func twoServersHaveTwoPorts() async throws {
        let one = try await LoopbackServer { try await $0.respond() }
        let other = try await LoopbackServer { try await $0.respond() }
        #expect(one.port != other.port)
    }

    @Test func aConnectionIsKeptForTheNextRequest() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let client = try RawClient(to: server)
        for path in ["/1", "/2", "/3"] {
            try await client.send("GET \(path) HTTP/1.1\r\n\r\n")
            #expect(try await client.receiveAnswer().body == path)
        }
        #expect(server.connectionCount == 1)
        #expect(server.requestCount == 3)
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let client = try RawClient(to: server)
        try await client.send((1...50).map { "GET /\($0) HTTP/1.1\r\n\r\n" }.joined())
        for number in 1...50 { #expect(try await client.receiveAnswer().body == "/\(number)") }
    }

    @Test func aPipelinedRequestBehindAnUnreadBodyIsFound() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let client = try RawClient(to: server)
        try await client.send("POST /1 HTTP/1.1\r\nContent-Length: 3\r\n\r\na bGET /2 HTTP/1.1\r\n\r\n")
        #expect(try await client.receiveAnswer().body == "/1")
        #expect(try await client.receiveAnswer().body == "/2")
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
    ])
    func closesTheConnectionOfAClientThatWillNotReuseIt(_ request: String) async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "bye") }
        let client = try RawClient(to: server)
        try await client.send(request)
        #expect(try await client.receiveTextToEnd().hasSuffix("bye"))
    }

    @Test func anHTTP10ClientMayKeepTheConnection() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "stay") }
        let client = try RawClient(to: server)
        for _ in 0..<2 {
            try await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try await client.receiveAnswer().body == "stay")
        }
    }

    @Test func requestsAreRecordedWithTheirConnection() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        for path in ["/a", "/b?c"] {
            let client = try RawClient(to: server)
            try await client.send("GET \(path) HTTP/1.1\r\n\r\n")
            _ = try await client.receiveAnswer()
        }
        #expect(server.requests.map(\.target) == ["/a", "/b?c"])
        #expect(server.requests.map(\.connectionNumber) == [1, 2])
    }

    @Test func readBodiesAreRecorded() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/read" { _ = try await exchange.body() }
            try await exchange.respond()
        }
        let client = try RawClient(to: server)
        for path in ["/read", "/unread"] {
            try await client.send("POST \(path) HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi")
            _ = try await client.receiveAnswer()
        }
        #expect(server.requests.map(\.body) == [Data("hi".utf8), nil])
    }

    @Test func openConnectionsGoDownWhenClientsClose() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let clients = try (0..<3).map { _ in try RawClient(to: server) }
        try await server.waitUntil { $0.openConnectionCount == 3 }
        for client in clients { client.close() }
        #expect(try await server.waitUntil { $0.openConnectionCount == 0 }.connectionCount == 3)
    }

    @Test func aClientThatResetsIsNoticed() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let client = try RawClient(to: server)
        try await server.waitUntil { $0.openConnectionCount == 1 }
        client.close(resetting: true)
        try await server.waitUntil { $0.openConnectionCount == 0 }
        #expect(server.failures.isEmpty)
    }

    @Test func anOpenConnectionCanBeClosedFromTheTest() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        _ = try await client.receiveAnswer()
        try #require(server.openConnections.first).close()
        #expect(try await client.receiveToEnd().isEmpty)
        try await server.waitUntil { $0.openConnectionCount == 0 }
        #expect(server.failures.isEmpty)
    }

    @Test func missingEventIsReportedWithTheCounts() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let counts = "0 connections, 0 open, 0 requests, 0 handled"
        await #expect(throws: TestSupportError.timedOut("a state of the server; it has \(counts)")) {
            try await server.waitUntil(within: .milliseconds(1)) { $0.requestCount == 1 }
        }
    }

    @Test func waitingCanBeCancelled() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let waiting = Task { try await server.waitUntil { $0.requestCount == 1 } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    private struct Oops: Error {}

    @Test func anErrorInAHandlerClosesTheConnectionAndIsRecorded() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "9"])
            throw Oops()
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receiveTextToEnd() == "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        try await server.waitUntil { $0.openConnectionCount == 0 }
        #expect(server.failures.count == 1)
        #expect(server.failures.first is Oops)
    }

    @Test func malformedRequestIsAnswered400AndRecorded() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let client = try RawClient(to: server)
        try await client.send("noise\r\n\r\n")
        #expect(try await client.receiveTextToEnd().hasPrefix("HTTP/1.1 400 "))
        #expect(server.failures.first is TestSupportError)
        #expect(server.requestCount == 0)
    }

    @Test func halfARequestIsAFailure() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let client = try RawClient(to: server)
        try await client.send("GET / HT")
        client.endSending()
        #expect(try await client.receiveToEnd().isEmpty)
        #expect(server.failures.first as? TestSupportError == .ended)
    }

    @Test func stoppingClosesConnectionsAndRefusesNewOnes() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let client = try RawClient(to: server)
        try await server.waitUntil { $0.openConnectionCount == 1 }
        server.stop()
        #expect(try await client.receiveToEnd().isEmpty)
        await #expect(throws: TestSupportError.self) {
            let late = try RawClient(to: server)
            try await late.send(getRoot)
            _ = try await late.receive()
        }
    }

    @Test func stoppingCancelsHandlersWithoutAFailure() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { _ in try await gate.wait() }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        try await gate.waitForArrivals(1)
        await server.stopAndWait()
        #expect(server.failures.isEmpty)
        #expect(server.activity.handledCount == 1)
        #expect(server.activity.openConnectionCount == 0)
    }

    @Test func aCancelledTaskWaitsForTheEndToo() async throws {
        for _ in 0..<50 {
            let server = try await LoopbackServer { try await $0.respond() }
            let stopping = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await server.stopAndWait()
                return server.listening.hasEnded.value
            }
            #expect(await stopping.value)
        }
    }

    @Test func aDroppedServerClosesItsConnections() async throws {
        var server: LoopbackServer? = try await LoopbackServer { try await $0.stallUntilClosed() }
        let client = try RawClient(to: try #require(server))
        try await client.send(getRoot)
        try await server?.waitUntil { $0.requestCount == 1 }
        server = nil
        #expect(try await client.receiveToEnd().isEmpty)
    }

    @TaskLocal static var whose = "nobody's"

    @Test func handlersSeeTheTaskLocalValuesOfTheTest() async throws {
        let server = try await Self.$whose.withValue("this test's") {
            try await LoopbackServer { try await $0.respond(body: Self.whose) }
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receiveAnswer().body == "this test's")
    }

    @Test func theServerRunsWhileEveryThreadOfThePoolIsBlocked() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "alive") }
        let port = server.port
        let width = ProcessInfo.processInfo.activeProcessorCount
        let answers = await withTaskGroup(of: String.self) { group in
            for _ in 0..<width { group.addTask { BlockingCall.get(port: port) } }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(answers.count == width)
        #expect(answers.allSatisfy { $0.hasSuffix("alive") })
    }
}

/// A call that blocks its thread, as code under test may.
private enum BlockingCall {
    /// The response; empty if there is none within 20 s.
    static func get(port: Int) -> String {
        guard let socket = try? SocketDescriptor.stream(.ipv4) else { return "" }
        defer { socket.shut() }
        func waits(for event: Int32) -> Bool {
            var waiting = pollfd(fd: socket.number, events: Int16(event), revents: 0)
            return poll(&waiting, 1, 20_000) == 1
        }
        let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard (try? socket.beginConnecting(.ipv4, port: port)) != nil, waits(for: POLLOUT),
            (try? request.withUnsafeBytes(socket.transmit)) == request.count
        else { return "" }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while waits(for: POLLIN), let count = try? buffer.withUnsafeMutableBytes(socket.receive), count > 0 {
            output += buffer[..<count]
        }
        return String(decoding: output, as: UTF8.self)
    }
}
