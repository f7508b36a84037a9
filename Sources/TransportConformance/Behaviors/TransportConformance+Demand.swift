import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addDemand(to list: inout BehaviorList) {
        list.startGroup("demand")
        for (what, stop) in [("at the head", "head"), ("at the first chunk", "chunk")] {
            list.add("a reader that waits \(what) leaves the sender waiting and loses nothing") { scene in
                let sender = try await StuffingSender(unlikeBytes(24 << 20))
                let sink = ListeningSink { $0.order.last == stop && $0.chunkCount < 2 ? .wait : .more }
                let running = scene.start(sender.server.request(), sink)
                try await sink.waitUntil { $0.order.last == stop }
                try await sender.waitUntilItHasToWait(scene)
                try expect(sink.heard.chunkCount, is: stop == "head" ? 0 : 1, "the number of chunks while it waits")
                sender.finish()
                while !sink.heard.isEnded {
                    running.handle.resume()
                    try await scene.letTheTransportWork()
                }
                try expectWhole(sink.heard)
                try expect(sink.heard.body == sender.body, "the body is the same")
            }
        }
        list.add("a reader that waits at the sent bytes gets no chunk until it resumes") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: try await $0.body()) }
            let body = unlikeBytes(100_000)
            let sink = ListeningSink { $0.order.last == "sent" ? .wait : .more }
            let running = scene.start(server.request("POST", body: .data(body), reportsSentBytes: true), sink)
            try await sink.waitUntil { $0.sent.last == 100_000 }
            try await scene.letTheTransportWork()
            try expect(sink.heard.chunkCount, is: 0, "the number of chunks while it waits")
            while !sink.heard.isEnded {
                running.handle.resume()
                try await scene.letTheTransportWork()
            }
            try expect(sink.heard.body == body, "the body is the same")
        }
        list.add("a reader that waits after every chunk gets one for each resume") { scene in
            let body = unlikeBytes(300_000)
            let server = try await LoopbackServer { try await $0.respond(body: body) }
            let running = scene.start(server.request(), ListeningSink { _ in .wait })
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
        list.add("a resumption from within the sink counts after its wait") { scene in
            let body = unlikeBytes(300_000)
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await gate.wait()
                try await exchange.respond(body: body)
            }
            let handle = Watched<(any TransportExchange)?>(nil)
            let sink = ListeningSink { _ in
                handle.value?.resume()
                return .wait
            }
            let running = scene.start(server.request(), sink)
            handle.update { $0 = running.handle }
            gate.open()
            try expect(try await running.sink.waitForEnd().body == body, "the body is the same")
        }
        list.add(
            "a sink that blocks delays no other exchange, where code may block",
            obstacle: { $0.deliversWhereCodeMayBlock ? nil : "it delivers on a thread that code must not block" }
        ) { scene in
            let server = try await LoopbackServer { try await $0.respond(body: "ok") }
            let otherHasEnded = DispatchSemaphore(value: 0)
            let wasInTime = Watched(true)
            let blocked = scene.start(
                server.request("GET", "/blocked"),
                ListeningSink { heard in
                    if heard.order == ["head"], otherHasEnded.wait(timeout: .now() + 5) == .timedOut {
                        wasInTime.update { $0 = false }
                    }
                    return .more
                })
            _ = try await scene.run(server.request("GET", "/other"))
            otherHasEnded.signal()
            try expectWhole(try await blocked.sink.waitForEnd())
            try expect(wasInTime.value, "the other exchange ended while the sink blocked")
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
            let running = scene.start(server.request())
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
            let running = scene.start(server.request())
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
        list.add("resuming without a pause changes nothing") { scene in
            try await expectOkAfter(scene) { handle in for _ in 0..<3 { handle.resume() } }
        }
        list.add("pausing twice needs one resume") { scene in
            try await expectOkAfter(scene) { handle in
                handle.pause()
                handle.pause()
                handle.resume()
            }
        }
        list.add("a paused exchange does not delay the others") { scene in
            let sender = try await StuffingSender(unlikeBytes(24 << 20))
            let waiting = scene.start(sender.server.request(), ListeningSink { _ in .wait })
            try await waiting.sink.waitUntil { $0.head != nil }
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
            let running = scene.start(server.request("POST", body: .data(Data(count: 8 << 20))))
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
            let running = scene.start(server.request())
            _ = try await running.sink.waitForEnd()
            running.handle.pause()
            running.handle.resume()
            try await scene.letTheTransportWork()
            try expectWhole(running.sink.heard)
        }
    }

    /// Expects a complete response after an action during its exchange.
    static func expectOkAfter(
        _ scene: ConformanceScene, _ change: @Sendable (any TransportExchange) -> Void
    ) async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "2"])
            try await gate.wait()
            try await exchange.send("ok")
        }
        let running = scene.start(server.request())
        try await running.sink.waitUntil { $0.head != nil }
        change(running.handle)
        gate.open()
        try expect(try await running.sink.waitForEnd().text, is: "ok", "the body")
    }
}

/// A server that sends as much of a body as possible without a reading client, tries again each time it is released,
/// and sends the rest once it may.
private struct StuffingSender {
    let server: LoopbackServer
    let body: Data
    private let gate: Gate
    private let sent: Watched<Int>
    private let isToFinish: Watched<Bool>

    init(_ body: Data) async throws {
        let (gate, sent, isToFinish) = (Gate(), Watched(0), Watched(false))
        let bytes = [UInt8](body)
        server = try await LoopbackServer(.init(socketBuffer: 65_536)) { exchange in
            try await exchange.send(head: 200, ["Content-Length": "\(bytes.count)"])
            while !isToFinish.value {
                var start = sent.value
                var count = 1
                while start < bytes.count, count > 0 {
                    count = try exchange.sendWhatFits(bytes[start..<min(start + 1 << 20, bytes.count)])
                    start += count
                }
                let end = start
                sent.update { $0 = end }
                try await gate.wait()
            }
            try await exchange.send(bytes[sent.value...])
        }
        self.body = body
        self.gate = gate
        self.sent = sent
        self.isToFinish = isToFinish
    }

    /// Returns when the kernel has accepted nothing more from the server for a while, although the transport had time
    /// to read.
    func waitUntilItHasToWait(_ scene: ConformanceScene) async throws {
        var attempts = 0
        var fruitless = 0
        var before = -1
        while fruitless < 8 {
            attempts += 1
            try await gate.waitForArrivals(attempts)
            let now = sent.value
            try expect(now < body.count, "the sender has to wait; all of its \(now) bytes were taken")
            fruitless = now == before ? fruitless + 1 : 0
            before = now
            try await scene.letTheTransportWork()
            gate.open(times: 1)
        }
    }

    func finish() {
        isToFinish.update { $0 = true }
        gate.open()
    }
}
