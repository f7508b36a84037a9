#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct CancellationTests {
    /// Cancels twice, and sees that the exchange ends once, as cancelled, and stays silent.
    private func cancel(_ running: ConformanceExchange, of transport: CurlTransport) async throws -> HeardEvents {
        running.handle.cancel()
        running.handle.cancel()
        _ = try await running.sink.waitForEnd()
        try await transport.settle()
        let recording = running.sink.heard
        #expect(recording.ends.count == 1)
        #expect(recording.kind == .cancelled)
        #expect(recording.order.last == "end")
        return recording
    }

    @Test func endsAnExchangeBeforeItConnects() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate()
        #expect(try await cancel(transport.begin(server.request()), of: transport).order == ["end"])
    }

    @Test func endsAnExchangeThatConnects() async throws {
        let silent = try UnansweredPort()
        let transport = CurlTransport.separate()
        let running = transport.begin(HTTPRequest(method: "GET", url: "http://127.0.0.1:\(silent.port)/"))
        try await transport.settle()
        #expect(try await cancel(running, of: transport).order == ["end"])
        withExtendedLifetime(silent) {}
    }

    @Test func endsAnExchangeThatResolvesItsHost() async throws {
        let transport = CurlTransport.separate()
        let running = transport.begin(HTTPRequest(method: "GET", url: "http://no-such-host.invalid/"))
        running.handle.cancel()
        #expect(try await running.sink.waitForEnd().ends.count == 1)
    }

    @Test func endsAnExchangeThatWaitsForAConnection() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond()
        }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let first = transport.begin(server.request())
        try await gate.waitForArrivals(1)
        let waiting = transport.begin(server.request())
        try await transport.settle()
        _ = try await cancel(waiting, of: transport)
        gate.open()
        #expect(try await first.sink.waitForEnd().failure == nil)
        #expect(server.requestCount == 1)
    }

    @Test func endsAConnectedExchangeThatTheServerDoesNotRead() async throws {
        let connected = Gate()
        let server = try await LoopbackServer(onConnection: { _ in try await connected.wait() }) { _ in }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await connected.waitForArrivals(1)
        _ = try await cancel(running, of: transport)
        connected.open()
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func endsAnExchangeAfterItsRequest() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await server.waitUntil { $0.requestCount == 1 }
        _ = try await cancel(running, of: transport)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func endsAnExchangeAfterAnInterimResponse() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(informational: 103)
            try await exchange.stallUntilClosed()
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await running.sink.waitUntil { !$0.informational.isEmpty }
        #expect(try await cancel(running, of: transport).order == ["informational", "end"])
    }

    @Test func endsAnExchangeAfterTheHead() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.stallUntilClosed()
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await running.sink.waitUntil { $0.head != nil }
        #expect(try await cancel(running, of: transport).order == ["head", "end"])
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func endsAnExchangeWithinTheBody() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("half")
            try await exchange.stallUntilClosed()
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await running.sink.waitUntil { $0.text == "half" }
        #expect(try await cancel(running, of: transport).order == ["head", "chunk", "end"])
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func endsAPausedExchange() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("half")
            try await exchange.stallUntilClosed()
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request(), sink: ListeningSink { _ in .wait })
        try await running.sink.waitUntil { $0.head != nil }
        _ = try await cancel(running, of: transport)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func endsAnExchangeDuringItsUpload() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
            _ = try await exchange.readBody(exactly: 1_000)
            try await gate.wait()
            try await exchange.stallUntilClosed()
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request("POST", body: .data(Data(count: 32 << 20))))
        try await gate.waitForArrivals(1)
        _ = try await cancel(running, of: transport)
        gate.open()
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func changesNothingAfterTheEnd() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "whole") }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        _ = try await running.sink.waitForEnd()
        running.handle.cancel()
        try await transport.settle()
        #expect(running.sink.heard.ends.count == 1)
        #expect(running.sink.heard.failure == nil)
    }

    /// The handle of an ended exchange must not affect the next exchange with the same libcurl handle.
    @Test func anEndedExchangeDoesNotReachTheNext() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/2" { try await gate.wait() }
            try await exchange.respond(body: "whole")
        }
        let transport = CurlTransport.separate()
        let first = transport.begin(server.request("GET", "/1"))
        _ = try await first.sink.waitForEnd()
        let second = transport.begin(server.request("GET", "/2"))
        try await gate.waitForArrivals(1)
        first.handle.cancel()
        first.handle.pause()
        gate.open()
        #expect(try await second.sink.waitForEnd().text == "whole")
    }

    @Test(arguments: ["head", "chunk"])
    func worksFromWithinTheSink(_ event: String) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("half")
            try await exchange.stallUntilClosed()
        }
        let transport = CurlTransport.separate()
        let box = ExchangeBox()
        let sink = ListeningSink { recording in
            if recording.order.last == event { box.cancel() }
            return .more
        }
        box.hold(transport.start(server.request(), delivering: sink))
        let recording = try await sink.waitForEnd()
        #expect(recording.kind == .cancelled)
        #expect(recording.ends.count == 1)
    }

    @Test func aCancelledConnectionIsNotUsedAgain() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/1" {
                try await exchange.send(head: 200, ["Content-Length": "100"])
                try await exchange.stallUntilClosed()
            }
            try await exchange.respond(body: "clean")
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request("GET", "/1"))
        try await running.sink.waitUntil { $0.head != nil }
        _ = try await cancel(running, of: transport)
        #expect(try await transport.run(server.request("GET", "/2")).text == "clean")
        #expect(server.connectionCount == 2)
    }

    @Test func aThousandExchangesCancelledAtOnceAllEndOnce() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.stallUntilClosed()
        }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 200))
        let running = (0..<1_000).map { _ in transport.begin(server.request()) }
        try await server.waitUntil { $0.requestCount >= 100 }
        for one in running { one.handle.cancel() }
        for one in running { #expect(try await one.sink.waitForEnd().kind == .cancelled) }
        try await transport.settle()
        #expect(running.allSatisfy { $0.sink.heard.ends.count == 1 })
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }
}
#endif
