import Foundation
import MoyaTransport

extension TransportConformance {
    static func addDemand(to list: inout BehaviorList) {
        list.begin("demand")
        for (what, stop) in [("at the head", "head"), ("at the first chunk", "chunk")] {
            list.add("a reader that waits \(what) leaves the sender waiting and loses nothing") { scene in
                let gate = Gate()
                let body = unlikeBytes(24 << 20)
                let server = try await stuffingServer(body, gate)
                let sink = ListeningSink { $0.order.last == stop && $0.chunkCount < 2 ? .wait : .more }
                let running = scene.begin(server.request(), sink)
                try await gate.waitForArrivals(1)
                try await sink.waitUntil { $0.order.last == stop }
                try await scene.letTheTransportWork()
                try expect(sink.heard.chunkCount, is: stop == "head" ? 0 : 1, "the number of chunks while it waits")
                gate.open()
                running.handle.resume()
                while !sink.heard.isEnded {
                    running.handle.resume()
                    try await scene.letTheTransportWork()
                }
                try expectWhole(sink.heard)
                try expect(sink.heard.body == body, "the body is the same")
                try expect(server.failures.isEmpty, "the sender had to wait; \(server.failures)")
            }
        }
        list.add("a reader that waits after every chunk gets one for each resume") { scene in
            let body = unlikeBytes(300_000)
            let server = try await LoopbackServer { try await $0.respond(body: body) }
            let running = scene.begin(server.request(), ListeningSink { _ in .wait })
            try await running.sink.waitUntil { $0.head != nil }
            var count = 0
            while !running.sink.heard.isEnded {
                try expect(running.sink.heard.chunkCount, is: count, "the number of chunks while it waits")
                running.handle.resume()
                let before = count
                count = try await running.sink.waitUntil { $0.chunkCount > before || $0.isEnded }.chunkCount
            }
            try expect(running.sink.heard.body == body, "the body is the same")
        }
        list.add("a pause from outside stops the chunks") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "10"])
                try await exchange.send("first")
                try await gate.wait()
                try await exchange.send("after")
                try await gate.wait()
            }
            let running = scene.begin(server.request())
            try await running.sink.waitUntil { $0.text == "first" }
            running.handle.pause()
            try await scene.letTheTransportWork()
            gate.open(times: 1)
            try await gate.waitForArrivals(2)
            try await scene.letTheTransportWork()
            try expect(running.sink.heard.text, is: "first", "the body while paused")
            gate.open()
            running.handle.resume()
            try expect(try await running.sink.waitForEnd().text, is: "firstafter", "the body")
        }
        list.add("a pause before the answer holds the body") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await gate.wait()
                try await exchange.respond(body: "whole")
            }
            let running = scene.begin(server.request())
            running.handle.pause()
            try await scene.letTheTransportWork()
            gate.open()
            try await server.waitUntil { $0.handledCount == 1 }
            try await scene.letTheTransportWork()
            try expect(running.sink.heard.byteCount, is: 0, "the number of body bytes while paused")
            try expect(!running.sink.heard.isEnded, "it has not ended while paused")
            running.handle.resume()
            try expect(try await running.sink.waitForEnd().text, is: "whole", "the body")
        }
        list.add("resuming what is not paused changes nothing") { scene in
            try await expectOkAfter(scene) { handle in for _ in 0..<3 { handle.resume() } }
        }
        list.add("pausing twice needs one resume") { scene in
            try await expectOkAfter(scene) { handle in
                handle.pause()
                handle.pause()
                handle.resume()
            }
        }
        list.add("one that waits does not hold the others") { scene in
            let gate = Gate()
            let server = try await stuffingServer(unlikeBytes(24 << 20), gate)
            let waiting = scene.begin(server.request(), ListeningSink { _ in .wait })
            try await gate.waitForArrivals(1)
            for _ in 0..<5 { try await scene.letTheTransportWork() }
            waiting.handle.cancel()
            try expectFailure(try await waiting.sink.waitForEnd(), .cancelled)
        }
        list.add("an upload goes on while the response is paused") { scene in
            let gate = Gate()
            let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
                let first = try await exchange.readBody(exactly: 1_000)
                try await gate.wait()
                let rest = try await exchange.discardBody()
                try await exchange.respond(body: "\(first.count + rest)")
            }
            let running = scene.begin(server.request("POST", body: .data(Data(count: 8 << 20))))
            try await gate.waitForArrivals(1)
            running.handle.pause()
            try await scene.letTheTransportWork()
            gate.open()
            try await server.waitUntil { $0.handledCount == 1 }
            running.handle.resume()
            try expect(try await running.sink.waitForEnd().text, is: "\(8 << 20)", "the answer")
        }
        list.add("a handle may be used after the end") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: "ok") }
            let running = scene.begin(server.request())
            _ = try await running.sink.waitForEnd()
            running.handle.pause()
            running.handle.resume()
            try await scene.letTheTransportWork()
            try expectWhole(running.sink.heard)
        }
    }

    /// Expects a whole answer after something was done to its exchange within it.
    private static func expectOkAfter(
        _ scene: ConformanceScene, _ change: @Sendable (any TransportExchange) -> Void
    ) async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "2"])
            try await gate.wait()
            try await exchange.send("ok")
        }
        let running = scene.begin(server.request())
        try await running.sink.waitUntil { $0.head != nil }
        change(running.handle)
        gate.open()
        try expect(try await running.sink.waitForEnd().text, is: "ok", "the body")
    }

    /// Sends as much of a body as goes without the client reading, which must not be all, stops at the gate, and sends
    /// the rest.
    private static func stuffingServer(_ body: Data, _ gate: Gate) async throws -> LoopbackServer {
        let bytes = [UInt8](body)
        return try await LoopbackServer(.init(socketBuffer: 65_536)) { exchange in
            try await exchange.send(head: 200, ["Content-Length": "\(bytes.count)"])
            var sent = 0
            while sent < bytes.count {
                let count = try exchange.sendWhatFits(bytes[sent..<min(sent + 1 << 20, bytes.count)])
                sent += count
                if count == 0 { break }
            }
            try expect(sent < bytes.count, "the sender has to wait")
            try await gate.wait()
            try await exchange.send(bytes[sent...])
        }
    }

    static func addProgress(to list: inout BehaviorList) {
        list.begin("progress")
        list.add("sent bytes grow up to the whole body") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.discardBody()
                try await exchange.respond()
            }
            let size = 2_000_000
            let heard = try await scene.run(
                server.request("POST", body: .data(unlikeBytes(size)), reportsSentBytes: true))
            try expect(heard.sent.count > 1, "there is more than one event; there is \(heard.sent)")
            try expect(zip(heard.sent, heard.sent.dropFirst()).allSatisfy { $0 <= $1 }, "they grow: \(heard.sent)")
            try expect(heard.sent.last, is: Int64(size), "the last count")
            try expect(heard.expected.allSatisfy { $0 == Int64(size) }, "the length is told with each")
        }
        list.add("sent bytes of an unknown length have no expectation") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.discardBody()
                try await exchange.respond()
            }
            let reader = PieceReader(unlikeBytes(200_000), piece: 9_999)
            let heard = try await scene.run(
                server.request("POST", body: .stream(reader, length: nil), reportsSentBytes: true))
            try expect(heard.sent.last, is: 200_000, "the last count")
            try expect(heard.expected.allSatisfy { $0 == nil }, "no length is told")
        }
        list.add("the whole body is told to be sent while the server still thinks") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await exchange.discardBody()
                try await gate.wait()
                try await exchange.respond()
            }
            let running = scene.begin(
                server.request("POST", body: .data(unlikeBytes(100_000)), reportsSentBytes: true))
            try await gate.waitForArrivals(1)
            try await running.sink.waitUntil { $0.sent.last == 100_000 }
            try expect(running.sink.heard.heads.isEmpty, "no head is there")
            gate.open()
            try expectWhole(try await running.sink.waitForEnd())
        }
        list.add("sent bytes are not told unasked") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.discardBody()
                try await exchange.respond()
            }
            let heard = try await scene.run(server.request("POST", body: .data(Data(count: 100_000))))
            try expect(heard.sent, is: [], "the counts")
        }
        list.add("a request without a body has nothing to tell") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let heard = try await scene.run(server.request(reportsSentBytes: true))
            try expectWhole(heard)
            try expect(heard.sent, is: [], "the counts")
        }
    }

    static func addMetrics(to list: inout BehaviorList) {
        list.begin("metrics")
        list.add("body sizes count as they went over the wire") { scene in
            let metrics = try await metrics(scene)
            try expect(metrics.bytesSent, is: 1_000, "the bytes sent")
            try expect(metrics.bytesReceived, is: 5, "the bytes received")
        }
        list.add("points in time come in their order") { scene in
            let metrics = try await metrics(scene)
            let times = [metrics.nameLookupEnd, metrics.connectEnd, metrics.firstByte, metrics.total]
            try expect(times == times.sorted() && metrics.connectEnd > 0, "\(times) are in order")
            try expect(metrics.tlsEnd, is: 0, "the end of TLS")
        }
        list.add("the protocol is named") { scene in
            try expect(try await metrics(scene).networkProtocol, is: "http/1.1", "the protocol")
        }
        list.add("the server's address is told") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let metrics = try await scene.run(server.request(collectsMetrics: true)).metrics
            try expect(metrics?.remoteAddress, is: "127.0.0.1", "the address")
            try expect(metrics?.remotePort, is: server.port, "the port")
        }
        list.add("a kept connection is told from a new one") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let first = try await scene.run(server.request(collectsMetrics: true)).metrics
            let second = try await scene.run(server.request(collectsMetrics: true)).metrics
            try expect(
                [first?.reusedConnection, second?.reusedConnection], is: [false, true], "the connections' reuse")
        }
        list.add("coded bytes count as they came") { scene in
            let body =
                Data(base64Encoded: "H4sIAAAAAAACAyvJSFUoTsxNVUiqLEkt1lEoIZGfmJeikJevkA8ULyoGADbdewFNAAAA") ?? Data()
            let server = try await LoopbackServer {
                try await $0.respond(200, ["Content-Encoding": "gzip"], body: body)
            }
            let metrics = try await scene.run(server.request(collectsMetrics: true)).metrics
            try expect(metrics?.bytesReceived, is: Int64(body.count), "the bytes received")
        }
        list.add("a failed exchange has them too") { scene in
            let server = try await LoopbackServer { try await $0.stallUntilClosed() }
            let heard = try await scene.run(server.request(timeouts: .init(total: 0.2), collectsMetrics: true))
            try expectFailure(heard, .timeout(.total))
            try expect((heard.metrics?.total ?? 0) > 0, "the total time is told")
        }
        list.add("unasked there are none") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let heard = try await scene.run(server.request())
            try expectWhole(heard)
            try expect(heard.metrics, is: nil, "the metrics")
        }
    }

    private static func metrics(_ scene: ConformanceScene) async throws -> TransportMetrics {
        let server = try await LoopbackServer { exchange in
            try await exchange.discardBody()
            try await exchange.respond(body: "hello")
        }
        let heard = try await scene.run(
            server.request("POST", body: .data(Data(count: 1_000)), collectsMetrics: true))
        guard let metrics = heard.metrics else { throw Failure(message: "metrics were expected; heard \(heard)") }
        return metrics
    }

    static func addOrder(to list: inout BehaviorList) {
        list.begin("order")
        list.add("everything that may come comes in order") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.discardBody()
                try await exchange.send(informational: 103)
                try await exchange.respond(body: "ok")
            }
            let heard = try await scene.run(
                server.request("POST", body: .data(Data(count: 10)), reportsSentBytes: true))
            try expect(heard.order, is: ["sent", "informational", "head", "chunk", "end"], "the events")
        }
        list.add("a head comes before the body is there") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "2"])
                try await gate.wait()
                try await exchange.send("ok")
            }
            let running = scene.begin(server.request())
            try await running.sink.waitUntil { $0.head != nil }
            gate.open()
            try expect(try await running.sink.waitForEnd().text, is: "ok", "the body")
        }
        list.add("another exchange may be started from within a sink") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
            let inner = ListeningSink()
            let outer = ListeningSink { heard in
                if heard.order.last == "end" { _ = scene.begin(server.request("GET", "/inner"), inner) }
                return .more
            }
            try expect(try await scene.run(server.request("GET", "/outer"), outer).text, is: "/outer", "the body")
            try expect(try await inner.waitForEnd().text, is: "/inner", "the body of the other")
        }
        list.add("no two events of an exchange come at once") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(informational: 103)
                try await exchange.respond(body: unlikeBytes(1 << 20))
            }
            let sinks = (0..<8).map { _ in ExclusiveSink() }
            for sink in sinks { _ = scene.transport.start(server.request(), delivering: sink) }
            for sink in sinks { try await sink.waitForEnd() }
            try expect(sinks.map(\.overlaps).max(), is: 0, "the number of overlapping events")
        }
    }
}

/// Counts events that begin while another one of the same exchange is handled.
private final class ExclusiveSink: TransportSink {
    private struct State: Sendable {
        var isBusy = false
        var overlaps = 0
        var isEnded = false
    }

    private let state = Watched(State())

    var overlaps: Int { state.value.overlaps }

    func receive(_ event: TransportEvent) -> TransportDemand {
        let isEnd = if case .end = event { true } else { false }
        state.update { state in
            if state.isBusy { state.overlaps += 1 }
            state.isBusy = true
        }
        state.update { state in
            state.isBusy = false
            if isEnd { state.isEnded = true }
        }
        return .more
    }

    func waitForEnd() async throws {
        let state = state
        _ = try await withTimeLimit(.seconds(30)) {
            .timedOut("the end of an exchange")
        } _: {
            try await state.when { $0.isEnded }
        }
    }
}
