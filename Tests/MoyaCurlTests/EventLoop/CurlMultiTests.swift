#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// Retained, so that no other transfer can have its address.
///
/// `@unchecked`: nothing but its identity is looked at.
private struct SeenTransfer: @unchecked Sendable {
    let transfer: CurlEasy
}

@Suite(.timeLimit(.minutes(3))) struct CurlMultiTests {
    @Test func fiftyRequestsInARowUseOneConnection() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let transport = CurlTransport.separate()
        for number in 0..<50 {
            #expect(try await transport.run(server.request("GET", "/\(number)")).text == "/\(number)")
        }
        #expect(server.connectionCount == 1)
    }

    @Test func requestsInARowUseOneHandle() async throws {
        let gates = [Gate(), Gate(), Gate()]
        let server = try await LoopbackServer { exchange in
            try await gates[Int(exchange.request.path.dropFirst()) ?? 0].wait()
            try await exchange.respond(body: "x")
        }
        let transport = CurlTransport.separate()
        let handles = Lock<[SeenTransfer]>([])
        for (number, gate) in gates.enumerated() {
            let running = Lock<CurlExchange?>(nil)
            // On the loop's thread, where a handle may be looked at.
            let sink = ListeningSink { _ in
                let transfer = running.withLock { $0 }?.transfer
                if let transfer {
                    let seen = SeenTransfer(transfer: transfer)
                    handles.withLock { $0.append(seen) }
                }
                return .more
            }
            let exchange = transport.start(server.request("GET", "/\(number)"), delivering: sink)
            running.withLock { $0 = exchange as? CurlExchange }
            gate.open()
            _ = try await sink.waitForEnd()
        }
        let seen = handles.withLock { $0.map { ObjectIdentifier($0.transfer) } }
        #expect(seen.count >= gates.count)
        #expect(Set(seen).count == 1)
    }

    @Test(arguments: ["POST", "HEAD", "PUT", "DELETE"])
    func everyMethodKeepsTheConnection(_ method: String) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.discardBody()
            try await exchange.respond(body: "x")
        }
        let transport = CurlTransport.separate()
        for _ in 0..<3 { _ = try await transport.run(server.request(method)) }
        #expect(server.connectionCount == 1)
    }

    @Test func aConnectionThatTheServerEndsIsNotUsedAgain() async throws {
        let server = try await LoopbackServer { try await $0.respond(200, ["Connection": "close"], body: "x") }
        let transport = CurlTransport.separate()
        for _ in 0..<3 { #expect(try await transport.run(server.request()).text == "x") }
        #expect(server.connectionCount == 3)
    }

    @Test(arguments: [false, true])
    func aConnectionThatWasClosedWhileIdleIsReplaced(_ resetting: Bool) async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "x") }
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request())
        for connection in server.openConnections { if resetting { connection.reset() } else { connection.close() } }
        try await server.waitUntil { $0.openConnectionCount == 0 }
        #expect(try await transport.run(server.request()).text == "x")
        #expect(server.connectionCount == 2)
    }

    /// The server closes without an answer just as the request arrives on a kept connection: sending it again is right.
    @Test func aGetThatMeetsAClosingConnectionIsSentAgain() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.connectionNumber == 1, exchange.request.path == "/2" { return exchange.close() }
            try await exchange.respond(body: "x")
        }
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request("GET", "/1"))
        let second = try await transport.run(server.request("GET", "/2"))
        #expect(second.text == "x")
        #expect(second.ends.count == 1)
    }

    @Test func noMoreConnectionsAreOpenedThanAllowed() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "x")
        }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 2))
        let running = (0..<10).map { _ in transport.begin(server.request()) }
        for round in 1...5 {
            try await gate.waitForArrivals(round * 2)
            try await transport.settle()
            #expect(gate.arrivals == round * 2)
            gate.open(times: 2)
        }
        for one in running { #expect(try await one.sink.waitForEnd().text == "x") }
        #expect(server.connectionCount == 2)
    }

    @Test func theLimitAppliesToEachHostSeparately() async throws {
        let gate = Gate()
        let handler: LoopbackServer.Handler = { exchange in
            try await gate.wait()
            try await exchange.respond()
        }
        let one = try await LoopbackServer(handler: handler)
        let other = try await LoopbackServer(handler: handler)
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let running = [transport.begin(one.request()), transport.begin(other.request())]
        try await gate.waitForArrivals(2)
        gate.open()
        for one in running { #expect(try await one.sink.waitForEnd().failure == nil) }
    }

    @Test func aHundredConnectionsAreOpenedWhereAllowed() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond()
        }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 100))
        let running = (0..<100).map { _ in transport.begin(server.request()) }
        try await gate.waitForArrivals(100)
        #expect(server.connectionCount == 100)
        gate.open()
        for one in running { #expect(try await one.sink.waitForEnd().failure == nil) }
    }

    @Test func twoTransportsOnOneLoopShareNoConnection() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let loop = CurlLoop(name: "shared")
        let one = CurlTransport(loop: loop)
        let other = CurlTransport(loop: loop)
        for _ in 0..<3 {
            _ = try await one.run(server.request())
            _ = try await other.run(server.request())
        }
        #expect(server.connectionCount == 2)
    }

    @Test func aDroppedTransportEndsItsExchangesAndClosesItsConnections() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/idle" { return try await exchange.respond() }
            try await gate.wait()
            try await exchange.stallUntilClosed()
        }
        var transport: CurlTransport? = CurlTransport.separate()
        _ = try await transport?.run(server.request("GET", "/idle"))
        let running = try #require(transport).begin(server.request())
        let other = try #require(transport).begin(server.request())
        try await gate.waitForArrivals(2)
        transport = nil
        for one in [running, other] {
            let recording = try await one.sink.waitForEnd()
            #expect(recording.kind == .cancelled)
            #expect(recording.ends.count == 1)
        }
        gate.open()
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func aDroppedTransportClosesItsIdleConnections() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        var transport: CurlTransport? = CurlTransport(loop: .shared)
        _ = try await transport?.run(server.request())
        #expect(server.activity.openConnectionCount == 1)
        transport = nil
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func theHandleOfADroppedTransportDoesNothing() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        var transport: CurlTransport? = CurlTransport.separate()
        let running = try #require(transport).begin(server.request())
        try await server.waitUntil { $0.requestCount == 1 }
        transport = nil
        _ = try await running.sink.waitForEnd()
        running.handle.cancel()
        running.handle.pause()
        running.handle.resume()
        let after = CurlTransport.separate()
        _ = try await after.run(server.request(timeouts: .init(total: 0.05)))
        #expect(running.sink.heard.ends.count == 1)
    }

    @Test func aTransportDroppedWithinItsOwnSinkEndsTheExchangeOnce() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "9"])
            try await exchange.stallUntilClosed()
        }
        let box = TransportBox(CurlTransport.separate())
        let sink = ListeningSink { recording in
            if recording.order.last == "head" { box.drop() }
            return .more
        }
        _ = box.start(server.request(), sink)
        let recording = try await sink.waitForEnd()
        #expect(recording.kind == .cancelled)
        #expect(recording.ends.count == 1)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func anotherExchangeMayBeStartedFromWithinASink() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let transport = CurlTransport.separate()
        let inner = ListeningSink()
        let outer = ListeningSink { recording in
            if recording.order.last == "end" { _ = transport.start(server.request("GET", "/inner"), delivering: inner) }
            return .more
        }
        #expect(try await transport.run(server.request("GET", "/outer"), sink: outer).text == "/outer")
        #expect(try await inner.waitForEnd().text == "/inner")
        #expect(server.connectionCount == 1)
    }

    @Test func ipv6Works() async throws {
        let server = try await LoopbackServer(.init(addressFamily: .ipv6)) { try await $0.respond(body: "six") }
        #expect(try await CurlTransport.separate().run(server.request()).text == "six")
    }
}
#endif
