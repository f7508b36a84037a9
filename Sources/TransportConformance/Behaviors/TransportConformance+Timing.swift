import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addTimeouts(to list: inout BehaviorList) {
        list.startGroup("timeouts")
        for (name, timeouts, kind) in [
            (
                "a connection that does not come about runs into the connect bound", Timeouts(connect: 0.2),
                TransportFailure.Timeout.connect
            ),
            ("the idle bound holds while connecting, reported as connect", Timeouts(idle: 0.2), .connect),
            ("the total bound holds while connecting", Timeouts(total: 0.2), .total),
        ] {
            list.add(name) { scene in
                let silent = try UnansweredPort()
                let url = "http://127.0.0.1:\(silent.port)/"
                try await expectTimeout(scene, HTTPRequest(method: "GET", url: url, timeouts: timeouts), kind, 0.2)
                withExtendedLifetime(silent) {}
            }
        }
        for (what, seconds) in [
            ("NaN", Double.nan), ("infinite", .infinity), ("negative", -1), ("endless", .greatestFiniteMagnitude),
        ] {
            list.add("\(what) bounds are none") { scene in
                let server = try await LoopbackServer { try await $0.respond(body: "ok") }
                let timeouts = Timeouts(idle: seconds, total: seconds)
                try expectWhole(try await scene.run(server.request(timeouts: timeouts)))
            }
        }
        for (what, timeouts, kind) in [
            ("idle", Timeouts(idle: 0.2), TransportFailure.Timeout.idle),
            ("total", Timeouts(total: 0.2), .total),
            ("idle, shorter than total,", Timeouts(idle: 0.2, total: 30), .idle),
            ("total, shorter than idle,", Timeouts(idle: 30, total: 0.2), .total),
        ] {
            list.add("a server that never answers runs into the \(what) bound") { scene in
                let server = try await warmServer(scene) { try await $0.stallUntilClosed() }
                try await expectTimeout(scene, server.request(timeouts: timeouts), kind, 0.2)
                try await server.waitUntil { $0.openConnectionCount == 0 }
            }
        }
        list.add("silence after an interim response runs into the idle bound") { scene in
            let server = try await warmServer(scene) { exchange in
                try await exchange.send(informational: 103)
                try await exchange.stallUntilClosed()
            }
            try expectFailure(try await scene.run(server.request(timeouts: .init(idle: 0.3))), .timeout(.idle))
        }
        list.add("silence within the body runs into the idle bound") { scene in
            let server = try await warmServer(scene) { exchange in
                try await exchange.send(head: 200, ["Content-Length": "100"])
                try await exchange.send("half")
                try await exchange.stallUntilClosed()
            }
            var text = ""
            // On a busy machine the server itself may be silent, before it has sent anything.
            for _ in 0..<5 where text.isEmpty {
                let heard = try await scene.run(server.request(timeouts: .init(idle: 0.3)))
                try expectFailure(heard, .timeout(.idle))
                text = heard.text
                try await warmUp(scene, server)
            }
            try expect(text, is: "half", "the body so far")
        }
        list.add("silence within the upload runs into the idle bound") { scene in
            let gate = Gate()
            let server = try await warmServer(scene, socketBuffer: 16_384) { _ in try await gate.wait() }
            let heard = try await scene.run(
                server.request("POST", body: .data(Data(count: 16 << 20)), timeouts: .init(idle: 0.3)))
            try expectFailure(heard, .timeout(.idle))
            gate.open()
        }
        list.add("a trickle runs into the total bound") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "1000000"])
                while true {
                    // This behaviour concerns time itself.
                    try await Task.sleep(for: .milliseconds(10))
                    try await exchange.send("x")
                }
            }
            try await expectTimeout(scene, server.request(timeouts: .init(idle: 10, total: 0.3)), .total, 0.3)
        }
        list.add("a trickle does not run into the idle bound") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "8"])
                for _ in 0..<8 {
                    // This behaviour concerns time itself: each silence is shorter than the limit, their sum is longer.
                    try await Task.sleep(for: .milliseconds(150))
                    try await exchange.send("x")
                }
            }
            var isWhole = false
            // A busy machine is late occasionally; a fault is late every time.
            for _ in 0..<5 where !isWhole {
                isWhole = try await scene.run(server.request(timeouts: .init(idle: 1))).failure == nil
            }
            try expect(isWhole, "eight silences of 150 milliseconds are no silence of a second")
        }
        list.add("without bounds there are none") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await gate.wait()
                try await exchange.respond(body: "late")
            }
            let stalled = try await LoopbackServer { try await $0.stallUntilClosed() }
            let unbounded = scene.start(server.request())
            // Another exchange's limit serves as the clock.
            try expectFailure(try await scene.run(stalled.request(timeouts: .init(total: 0.3))), .timeout(.total))
            gate.open()
            try expect(try await unbounded.sink.waitForEnd().text, is: "late", "the body")
        }
        list.add("bounds of one exchange do not reach the next") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                if exchange.request.path == "/held" { try await gate.wait() }
                try await exchange.respond(body: "ok")
            }
            let stalled = try await LoopbackServer { try await $0.stallUntilClosed() }
            _ = try await scene.run(server.request(timeouts: .init(connect: 0.3, idle: 0.3, total: 0.3)))
            let held = scene.start(server.request("GET", "/held"))
            _ = try await scene.run(stalled.request(timeouts: .init(total: 0.5)))
            gate.open()
            try expectWhole(try await held.sink.waitForEnd())
        }
        list.add("the total bound runs while the reader waits") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: unlikeBytes(1 << 20)) }
            let heard = try await scene.run(
                server.request(timeouts: .init(total: 0.3)), ListeningSink { _ in .wait })
            try expectFailure(heard, .timeout(.total))
        }
        list.add("the idle bound does not run while the reader waits") { scene in
            let body = unlikeBytes(1 << 20)
            let server = try await LoopbackServer { try await $0.respond(body: body) }
            let stalled = try await LoopbackServer { try await $0.stallUntilClosed() }
            let sink = ListeningSink { $0.order == ["head"] ? .wait : .more }
            let running = scene.start(server.request(timeouts: .init(idle: 1)), sink)
            try await sink.waitUntil { $0.head != nil }
            // Another exchange's limit, started later and longer, serves as the clock.
            try expectFailure(try await scene.run(stalled.request(timeouts: .init(idle: 2))), .timeout(.idle))
            try expect(!sink.heard.isEnded, "the exchange goes on")
            running.handle.resume()
            try expect(try await sink.waitForEnd().body == body, "the body is the same")
        }
    }

    /// A server with an open connection, so that no limit of the next request is used up by connecting.
    private static func warmServer(
        _ scene: ConformanceScene, socketBuffer: Int? = nil, _ handler: @escaping LoopbackServer.Handler
    ) async throws -> LoopbackServer {
        let server = try await LoopbackServer(.init(socketBuffer: socketBuffer)) { exchange in
            if exchange.request.path == "/warm" { return try await exchange.respond() }
            try await handler(exchange)
        }
        try await warmUp(scene, server)
        return server
    }

    private static func warmUp(_ scene: ConformanceScene, _ server: LoopbackServer) async throws {
        try expectWhole(try await scene.run(server.request("GET", "/warm")))
    }

    /// Runs an exchange into a time limit, before which it must not end.
    private static func expectTimeout(
        _ scene: ConformanceScene, _ request: HTTPRequest, _ timeout: TransportFailure.Timeout, _ bound: Double
    ) async throws {
        let start = ContinuousClock.now
        let heard = try await scene.run(request)
        let time = ContinuousClock.now - start
        try expectFailure(heard, .timeout(timeout))
        // The clocks of the kernel and of the process may differ by their resolution.
        try expect(time >= .seconds(bound) - .milliseconds(5), "the bound is waited for; it took \(time)")
    }
}
