import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addProgress(to list: inout BehaviorList) {
        list.startGroup("progress")
        list.add("sent bytes grow up to the whole body") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await gate.wait()
                try await exchange.discardBody()
                try await exchange.respond()
            }
            // More than the buffers of both sockets: the first event, before which the server reads nothing, is not the last.
            let size = 16_000_000
            let running = scene.start(server.request("POST", body: .data(Data(count: size)), reportsSentBytes: true))
            try await running.sink.waitUntil { !$0.sent.isEmpty }
            gate.open()
            let heard = try await running.sink.waitForEnd()
            try expect(heard.sent.count > 1, "there is more than one event; there is \(heard.sent)")
            try expect(zip(heard.sent, heard.sent.dropFirst()).allSatisfy { $0 <= $1 }, "they grow: \(heard.sent)")
            try expect(heard.sent.last, is: Int64(size), "the last count")
            try expect(heard.expected.allSatisfy { $0 == Int64(size) }, "the length is told with each")
        }
        list.add("sent bytes of an unknown length have no expectation") { scene in
            let server = try await LoopbackServer.reading()
            let reader = PieceReader(unlikeBytes(200_000), piece: 9_999)
            let heard = try await scene.run(
                server.request("POST", body: .stream(reader, length: nil), reportsSentBytes: true))
            try expect(heard.sent.last, is: 200_000, "the last count")
            try expect(heard.expected.allSatisfy { $0 == nil }, "no length is told")
        }
        list.add("the whole body is reported as sent before the response") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await exchange.discardBody()
                try await gate.wait()
                try await exchange.respond()
            }
            let running = scene.start(
                server.request("POST", body: .data(unlikeBytes(100_000)), reportsSentBytes: true))
            try await gate.waitForArrivals(1)
            try await running.sink.waitUntil { $0.sent.last == 100_000 }
            try expect(running.sink.heard.heads.isEmpty, "no head is there")
            gate.open()
            try expectWhole(try await running.sink.waitForEnd())
        }
        list.add("sent bytes are reported only on request") { scene in
            let server = try await LoopbackServer.reading()
            let heard = try await scene.run(server.request("POST", body: .data(Data(count: 100_000))))
            try expect(heard.sent, is: [], "the counts")
        }
        list.add("a request without a body reports no sent bytes") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let heard = try await scene.run(server.request(reportsSentBytes: true))
            try expectWhole(heard)
            try expect(heard.sent, is: [], "the counts")
        }
    }

    static func addMetrics(to list: inout BehaviorList) {
        list.startGroup("metrics")
        list.add("body sizes count the transmitted bytes") { scene in
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
        list.add("the server's address is reported") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let metrics = try await scene.run(server.request(collectsMetrics: true)).metrics
            try expect(metrics?.remoteAddress, is: "127.0.0.1", "the address")
            try expect(metrics?.remotePort, is: server.port, "the port")
        }
        list.add("a kept connection is distinguished from a new one") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let first = try await scene.run(server.request(collectsMetrics: true)).metrics
            let second = try await scene.run(server.request(collectsMetrics: true)).metrics
            try expect(
                [first?.reusedConnection, second?.reusedConnection], is: [false, true], "the connections' reuse")
        }
        list.add("coded bytes count before decoding") { scene in
            let body = coded["gzip"] ?? Data()
            let server = try await LoopbackServer {
                try await $0.respond(200, ["Content-Encoding": "gzip"], body: body)
            }
            let metrics = try await scene.run(server.request(collectsMetrics: true)).metrics
            try expect(metrics?.bytesReceived, is: Int64(body.count), "the bytes received")
        }
        list.add("a failed exchange has metrics too") { scene in
            let server = try await LoopbackServer { try await $0.stallUntilClosed() }
            let heard = try await scene.run(server.request(timeouts: .init(total: 0.2), collectsMetrics: true))
            try expectFailure(heard, .timeout(.total))
            try expect((heard.metrics?.total ?? 0) > 0, "the total time is told")
        }
        list.add("metrics are reported only on request") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let heard = try await scene.run(server.request())
            try expectWhole(heard)
            try expect(heard.metrics, is: nil, "the metrics")
        }
    }

    private static func metrics(_ scene: ConformanceScene) async throws -> TransportMetrics {
        let server = try await LoopbackServer.reading(answer: "hello")
        let heard = try await scene.run(
            server.request("POST", body: .data(Data(count: 1_000)), collectsMetrics: true))
        guard let metrics = heard.metrics else { throw Failure(message: "metrics were expected; heard \(heard)") }
        return metrics
    }

    static func addOrder(to list: inout BehaviorList) {
        list.startGroup("order")
        list.add("all events come in order") { scene in
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
            try await expectOkAfter(scene) { _ in }
        }
        list.add("another exchange may be started from within a sink") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
            let inner = ListeningSink()
            let outer = ListeningSink { heard in
                if heard.order.last == "end" { _ = scene.start(server.request("GET", "/inner"), inner) }
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
            let overlaps = Watched(0)
            let running = (0..<8).map { _ in
                let isBusy = Watched(false)
                let sink = ListeningSink(keepsBody: false) { _ in
                    let wasBusy = isBusy.update { isBusy in
                        defer { isBusy = true }
                        return isBusy
                    }
                    if wasBusy { overlaps.update { $0 += 1 } }
                    // Long enough for an event on another thread.
                    Thread.sleep(forTimeInterval: 0.0001)
                    isBusy.update { $0 = false }
                    return .more
                }
                return scene.start(server.request(), sink)
            }
            for one in running { _ = try await one.sink.waitForEnd() }
            try expect(overlaps.value, is: 0, "the number of overlapping events")
        }
        list.add("a sink is released after the end, though the handle is kept") { scene in
            let (handle, sink) = try await ended(scene)
            try await scene.letTheTransportWork()
            try expect(sink() == nil, "the sink is released")
            withExtendedLifetime(handle) {}
        }
    }

    /// The handle of an ended exchange, and its sink, which only a transport can still retain.
    private static func ended(
        _ scene: ConformanceScene
    ) async throws -> (any TransportExchange, @Sendable () -> ListeningSink?) {
        let server = try await LoopbackServer { try await $0.respond(body: "ok") }
        let running = scene.start(server.request())
        try expectWhole(try await running.sink.waitForEnd())
        return (running.handle, { [weak sink = running.sink] in sink })
    }
}
