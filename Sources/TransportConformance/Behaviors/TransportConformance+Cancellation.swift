import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addCancellation(to list: inout BehaviorList) {
        list.startGroup("cancellation")
        list.add("cancelling at once ends the exchange") { scene in
            let server = try await LoopbackServer { try await $0.stallUntilClosed() }
            try expect(try await cancel(scene, scene.start(server.request())).order, is: ["end"], "the events")
        }
        list.add("cancelling while connecting ends the exchange") { scene in
            let silent = try UnansweredPort()
            let running = scene.start(HTTPRequest(method: "GET", url: "http://127.0.0.1:\(silent.port)/"))
            try await scene.letTheTransportWork()
            try expect(try await cancel(scene, running).order, is: ["end"], "the events")
            withExtendedLifetime(silent) {}
        }
        list.add("cancelling once connected, before the server reads, ends the exchange") { scene in
            let connected = Gate()
            let server = try await LoopbackServer(onConnection: { _ in try await connected.wait() }) { _ in }
            let running = scene.start(server.request())
            try await connected.waitForArrivals(1)
            _ = try await cancel(scene, running)
            connected.open()
            try await server.waitUntil { $0.openConnectionCount == 0 }
        }
        list.add("cancelling while the host is looked up ends the exchange, at the latest with its failure") { scene in
            let running = scene.start(HTTPRequest(method: "GET", url: "http://no-such-host.invalid/"))
            running.handle.cancel()
            let heard = try await running.sink.waitForEnd()
            try expect(heard.ends.count == 1 && heard.failure != nil, "it ends once, failed; it heard \(heard)")
        }
        list.add("cancelling during the upload ends the exchange") { scene in
            let gate = Gate()
            let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
                _ = try await exchange.readBody(exactly: 1_000)
                try await gate.wait()
                try await exchange.stallUntilClosed()
            }
            let running = scene.start(server.request("POST", body: .data(Data(count: 8 << 20))))
            try await gate.waitForArrivals(1)
            _ = try await cancel(scene, running)
            gate.open()
            try await server.waitUntil { $0.openConnectionCount == 0 }
        }
        list.add("cancelling while the body's reader has nothing ends the exchange") { scene in
            let server = try await LoopbackServer { try await $0.discardBody() }
            let reader = LateReader([Data("x".utf8)])
            let running = scene.start(server.request("POST", body: .stream(reader, length: nil)))
            try await reader.waitUntilAsked(times: 1)
            _ = try await cancel(scene, running)
            // Too late to have an effect.
            reader.letOneThrough()
            try await scene.letTheTransportWork()
            try expect(running.sink.heard.ends.count, is: 1, "the number of ends")
        }
        let points:
            [(String, @Sendable (LoopbackExchange) async throws -> Void, @Sendable (HeardEvents) -> Bool, [String])] = [
                (
                    "after an interim response", { try await $0.send(informational: 103) },
                    { !$0.informational.isEmpty }, ["informational", "end"]
                ),
                (
                    "after the head", { try await $0.send(head: 200, ["Content-Length": "9"]) }, { $0.head != nil },
                    ["head", "end"]
                ),
                (
                    "within the body",
                    {
                        try await $0.send(head: 200, ["Content-Length": "9"])
                        try await $0.send("half")
                    }, { $0.text == "half" }, ["head", "chunk", "end"]
                ),
                (
                    "between chunks",
                    {
                        try await $0.send(head: 200, ["Transfer-Encoding": "chunked"])
                        try await $0.sendChunk("half")
                    }, { $0.text == "half" }, ["head", "chunk", "end"]
                ),
            ]
        for (what, send, isThere, order) in points {
            list.add("cancelling \(what) ends the exchange") { scene in
                let server = try await LoopbackServer { exchange in
                    try await send(exchange)
                    try await exchange.stallUntilClosed()
                }
                let running = scene.start(server.request())
                try await running.sink.waitUntil(isThere)
                try expect(try await cancel(scene, running).order, is: order, "the events")
                try await server.waitUntil { $0.openConnectionCount == 0 }
            }
        }
        list.add("cancelling once the request was sent ends the exchange") { scene in
            let server = try await LoopbackServer { try await $0.stallUntilClosed() }
            let running = scene.start(server.request())
            try await server.waitUntil { $0.requestCount == 1 }
            _ = try await cancel(scene, running)
            try await server.waitUntil { $0.openConnectionCount == 0 }
        }
        list.add("cancelling while the reader waits ends the exchange") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: unlikeBytes(1 << 20)) }
            let running = scene.start(server.request(), ListeningSink { _ in .wait })
            try await running.sink.waitUntil { $0.head != nil }
            _ = try await cancel(scene, running)
        }
        list.add("cancelling after the end changes nothing") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: "ok") }
            let running = scene.start(server.request())
            _ = try await running.sink.waitForEnd()
            running.handle.cancel()
            try await scene.letTheTransportWork()
            try expectWhole(running.sink.heard)
        }
        for (what, event) in [("head", "head"), ("first chunk", "chunk")] {
            list.add("cancelling from within the sink, at the \(what), ends the exchange") { scene in
                let server = try await LoopbackServer { try await $0.respond(body: unlikeBytes(4 << 20)) }
                let handle = Watched<(any TransportExchange)?>(nil)
                let sink = ListeningSink { heard in
                    if heard.order.contains(event) { handle.value?.cancel() }
                    return .wait
                }
                let running = scene.start(server.request(), sink)
                handle.update { $0 = running.handle }
                // The first event may have arrived before the handle: then wait for the next one.
                while !sink.heard.isEnded {
                    running.handle.resume()
                    try await scene.letTheTransportWork()
                }
                try expectFailure(sink.heard, .cancelled)
            }
        }
        list.add("a cancelled exchange leaves the others alone") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await gate.wait()
                try await exchange.respond(body: exchange.request.path)
            }
            let running = (0..<4).map { scene.start(server.request("GET", "/\($0)")) }
            try await gate.waitForArrivals(4)
            running[1].handle.cancel()
            // Before the responses can arrive: an existing response cannot be cancelled.
            try expectFailure(try await running[1].sink.waitForEnd(), .cancelled)
            gate.open()
            for number in [0, 2, 3] {
                try expect(try await running[number].sink.waitForEnd().text, is: "/\(number)", "the body")
            }
        }
    }

    /// Cancels twice, and expects that the exchange ends once, as cancelled, and stays silent.
    private static func cancel(_ scene: ConformanceScene, _ running: ConformanceExchange) async throws -> HeardEvents {
        running.handle.cancel()
        running.handle.cancel()
        _ = try await running.sink.waitForEnd()
        try await scene.letTheTransportWork()
        try expectFailure(running.sink.heard, .cancelled)
        return running.sink.heard
    }
}
