#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct PausingTests {
    /// Sends as much of a body as possible without a reading client, stops at the gate, and sends the rest.
    private func server(_ body: Data, _ gate: Gate) async throws -> LoopbackServer {
        let bytes = [UInt8](body)
        return try await LoopbackServer(.init(socketBuffer: 65_536)) { exchange in
            try await exchange.send(head: 200, ["Content-Length": "\(bytes.count)"])
            var sent = 0
            while sent < bytes.count {
                let count = try exchange.sendWhatFits(bytes[sent..<min(sent + 1 << 20, bytes.count)])
                sent += count
                if count == 0 { break }
            }
            #expect(sent < bytes.count)
            try await gate.wait()
            try await exchange.send(bytes[sent...])
        }
    }

    @Test func aSinkThatWaitsAtTheHeadLeavesTheSenderWaitingAndLosesNothing() async throws {
        let gate = Gate()
        let body = unlikeBytes(32 << 20)
        let server = try await server(body, gate)
        let transport = CurlTransport.separate()
        let running = transport.begin(
            server.request(), sink: ListeningSink { $0.order == ["head"] ? .wait : .more })
        try await gate.waitForArrivals(1)
        try await transport.settle()
        #expect(running.sink.heard.body.isEmpty)
        gate.open()
        running.handle.resume()
        let answer = try await running.sink.waitForEnd()
        #expect(answer.body == body)
        #expect(answer.failure == nil)
    }

    @Test func aSinkThatWaitsAfterEveryChunkGetsOneForEachResume() async throws {
        let body = unlikeBytes(1 << 20)
        let server = try await LoopbackServer { try await $0.respond(body: body) }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request(), sink: ListeningSink { _ in .wait })
        try await running.sink.waitUntil { $0.head != nil }
        var chunks = 0
        while running.sink.heard.ends.isEmpty {
            try await transport.settle()
            #expect(running.sink.heard.chunkCount == chunks)
            running.handle.resume()
            let before = chunks
            chunks = try await running.sink.waitUntil { $0.chunkCount > before || !$0.ends.isEmpty }.chunkCount
        }
        #expect(running.sink.heard.body == body)
    }

    @Test func pausingTheHandleStopsTheChunks() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "10"])
            try await exchange.send("first")
            try await gate.wait()
            try await exchange.send("after")
            try await gate.wait()
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await running.sink.waitUntil { $0.text == "first" }
        running.handle.pause()
        try await transport.settle()
        gate.open(times: 1)
        try await gate.waitForArrivals(2)
        _ = try await transport.run(server.request("GET", "/other", timeouts: .init(total: 0.1)))
        #expect(running.sink.heard.text == "first")
        gate.open()
        running.handle.resume()
        #expect(try await running.sink.waitForEnd().text == "firstafter")
    }

    @Test func resumingWithoutAPauseChangesNothing() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "2"])
            try await gate.wait()
            try await exchange.send("ok")
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await running.sink.waitUntil { $0.head != nil }
        for _ in 0..<3 { running.handle.resume() }
        gate.open()
        #expect(try await running.sink.waitForEnd().text == "ok")
    }

    @Test func pausingTwiceNeedsOneResume() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "2"])
            try await gate.wait()
            try await exchange.send("ok")
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await running.sink.waitUntil { $0.head != nil }
        running.handle.pause()
        running.handle.pause()
        running.handle.resume()
        gate.open()
        #expect(try await running.sink.waitForEnd().text == "ok")
    }

    @Test func aPauseBeforeTheResponseTakesEffect() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "whole")
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        running.handle.pause()
        try await transport.settle()
        gate.open()
        try await server.waitUntil { $0.handledCount == 1 }
        _ = try await transport.run(server.request())
        #expect(running.sink.heard.body.isEmpty)
        #expect(running.sink.heard.ends.isEmpty)
        running.handle.resume()
        #expect(try await running.sink.waitForEnd().text == "whole")
    }

    @Test func aResponseThatArrivesWhileAPausedUploadSendsOnIsDelivered() async throws {
        let (gate, isSent) = (Gate(), Gate())
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.send(head: 413, ["Content-Length": "8"])
            try await exchange.send("too much")
            isSent.open()
            _ = try await exchange.discardBody()
        }
        let body = PausedBody()
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request("POST", body: .stream(body, length: nil)))
        try await body.isPaused.wait()
        running.handle.pause()
        body.give("more")
        try await transport.settle()
        gate.open()
        try await isSent.wait()
        for _ in 0..<10 {
            body.give("more")
            try await transport.settle()
        }
        running.handle.resume()
        try await running.sink.waitUntil { $0.head != nil || !$0.ends.isEmpty }
        body.end()
        let answer = try await running.sink.waitForEnd()
        #expect(answer.failure == nil)
        #expect(answer.head?.status == 413)
        #expect(answer.text == "too much")
    }

    @Test func anEncodedBodyPausesToo() async throws {
        let body = try #require(ContentDecodingTests.encoded["gzip"])
        let server = try await LoopbackServer { try await $0.respond(200, ["Content-Encoding": "gzip"], body: body) }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request(), sink: ListeningSink { $0.ends.isEmpty ? .wait : .more })
        try await running.sink.waitUntil { $0.head != nil }
        try await transport.settle()
        #expect(running.sink.heard.body.isEmpty)
        while running.sink.heard.ends.isEmpty {
            running.handle.resume()
            try await transport.settle()
        }
        #expect(running.sink.heard.text == ContentDecodingTests.text)
    }

    @Test func aPausedExchangeDoesNotBlockOthers() async throws {
        let gate = Gate()
        let server = try await server(unlikeBytes(32 << 20), gate)
        let other = try await LoopbackServer { try await $0.respond(body: "quick") }
        let transport = CurlTransport.separate()
        let paused = transport.begin(server.request(), sink: ListeningSink { _ in .wait })
        try await gate.waitForArrivals(1)
        for _ in 0..<20 { #expect(try await transport.run(other.request()).text == "quick") }
        paused.handle.cancel()
        #expect(try await paused.sink.waitForEnd().kind == .cancelled)
    }

    @Test func theIdleBoundDoesNotRunWhilePaused() async throws {
        let gate = Gate()
        let server = try await server(unlikeBytes(32 << 20), gate)
        let stalled = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate()
        let paused = transport.begin(
            server.request(timeouts: .init(idle: 1)),
            sink: ListeningSink(keepsBody: false) { $0.order == ["head"] ? .wait : .more })
        try await gate.waitForArrivals(1)
        // Another exchange's bound, begun later and longer, is the clock.
        #expect(try await transport.run(stalled.request(timeouts: .init(idle: 2))).kind == .timeout(.idle))
        #expect(paused.sink.heard.ends.isEmpty)
        gate.open()
        paused.handle.resume()
        #expect(try await paused.sink.waitForEnd().failure == nil)
    }

    @Test func theTotalBoundRunsWhilePaused() async throws {
        let gate = Gate()
        let server = try await server(unlikeBytes(32 << 20), gate)
        let transport = CurlTransport.separate()
        let answer = try await transport.run(
            server.request(timeouts: .init(total: 0.3)), sink: ListeningSink { _ in .wait })
        #expect(answer.kind == .timeout(.total))
    }

    /// A pause stops the reading of the response; the request continues.
    @Test func aPauseOfTheResponseDoesNotPauseTheUpload() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
            let first = try await exchange.readBody(exactly: 1_000)
            try await gate.wait()
            let rest = try await exchange.discardBody()
            try await exchange.respond(body: "\(first.count + rest)")
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request("POST", body: .data(Data(count: 16 << 20))))
        try await gate.waitForArrivals(1)
        running.handle.pause()
        try await transport.settle()
        gate.open()
        try await server.waitUntil { $0.handledCount == 1 }
        running.handle.resume()
        #expect(try await running.sink.waitForEnd().text == "\(16 << 20)")
    }
}
#endif
