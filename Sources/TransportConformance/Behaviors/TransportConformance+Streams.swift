import Foundation
import MoyaTesting
import MoyaTransport

/// Bodies in successive pieces, in both directions.
extension TransportConformance {
    static func addStreams(to list: inout BehaviorList) {
        list.startGroup("streams")
        list.add("a piece of the body is sent before the reader has the next one") { scene in
            let received = Watched("")
            let server = try await LoopbackServer { exchange in
                while let bytes = try await exchange.readBody(atMost: 10) {
                    received.update { $0 += String(decoding: bytes, as: UTF8.self) }
                }
                try await exchange.respond(body: "ok")
            }
            let reader = LateReader(["a", "b", "c"].map { Data($0.utf8) })
            let running = scene.start(server.request("POST", body: .stream(reader, length: nil)))
            for text in ["a", "ab", "abc"] {
                reader.letOneThrough()
                try await waitUntil(received, is: text)
            }
            reader.letOneThrough()
            try expect(try await running.sink.waitForEnd().text, is: "ok", "the answer")
        }
        list.add("pieces of the answer come while pieces of the body are sent") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
                while let bytes = try await exchange.readBody(atMost: 10) { try await exchange.sendChunk(bytes) }
                try await exchange.endChunks()
            }
            let reader = LateReader(["a", "b", "c"].map { Data($0.utf8) })
            let running = scene.start(server.request("POST", body: .stream(reader, length: nil)))
            for text in ["a", "ab", "abc"] {
                reader.letOneThrough()
                try await running.sink.waitUntil { $0.text == text }
            }
            reader.letOneThrough()
            try expectWhole(try await running.sink.waitForEnd())
        }
        for (what, fields, status) in earlyAnswers {
            list.add("an exchange whose body goes on ends with a whole answer \(what)") { scene in
                try await expectEarlyEnd(scene, status, fields)
            }
        }
        list.add("a connection that breaks while the body's reader has nothing is a reset") { scene in
            let server = try await LoopbackServer { exchange in
                _ = try await exchange.readBody(exactly: 1)
                exchange.reset()
            }
            let reader = LateReader([Data("a".utf8)])
            let running = scene.start(server.request("POST", body: .stream(reader, length: nil)))
            reader.letOneThrough()
            try expectFailure(try await running.sink.waitForEnd(), .reset)
        }
        list.add("the bytes before a connection breaks come before the failure") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
                try await exchange.sendChunk("first")
                try await gate.wait()
                exchange.reset()
            }
            let running = scene.start(server.request())
            try await running.sink.waitUntil { $0.text == "first" }
            gate.open()
            let heard = try await running.sink.waitForEnd()
            try expectFailure(heard, .reset)
            try expect(heard.order, is: ["head", "chunk", "end"], "the events")
        }
        list.add("an exchange that is cancelled within the answer leaves its server") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
                try await exchange.sendChunk("first")
                try await exchange.stallUntilClosed()
                try await gate.wait()
            }
            let running = scene.start(server.request())
            try await running.sink.waitUntil { $0.text == "first" }
            running.handle.cancel()
            try expectFailure(try await running.sink.waitForEnd(), .cancelled)
            try await gate.waitForArrivals(1)
            gate.open()
        }
    }

    static func addTrailers(to list: inout BehaviorList) {
        list.startGroup("trailers")
        list.add("trailers come with the end, and are no part of the head") { scene in
            let trailers = try await trailers(scene, ["Digest": "abc", "X-Count": "3", "x-count": "4"])
            try expect(trailers.map(\.name), is: ["Digest", "X-Count", "x-count"], "the names")
            try expect(trailers.map(\.value), is: ["abc", "3", "4"], "the values")
        }
        list.add("chunks without trailers have none") { scene in
            try expect(try await trailers(scene, [:]).count, is: 0, "the number of trailers")
        }
        list.add("trailers of one answer do not reach the next") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
                try await exchange.endChunks(trailers: exchange.request.path == "/1" ? ["T": "1"] : [:])
            }
            try expectWhole(try await scene.run(server.request("GET", "/1")))
            let heard = try await scene.run(server.request("GET", "/2"))
            try expect(heard.ends.first?.trailers, is: [], "the trailers")
        }
        list.add("trailers without end are refused") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
                try await exchange.send("0\r\n")
                while true { try await exchange.send(String(repeating: "T: 1\r\n", count: 100)) }
            }
            try expectFailure(try await scene.run(server.request()), .protocolViolation)
        }
    }

    private static func trailers(_ scene: ConformanceScene, _ fields: LoopbackFields) async throws -> [HTTPField] {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked", "Trailer": "Digest, X-Count"])
            try await exchange.sendChunk("hello")
            try await exchange.endChunks(trailers: fields)
        }
        let heard = try await scene.run(server.request())
        try expectWhole(heard)
        try expect(heard.text, is: "hello", "the body")
        try expect(heard.head?.value(for: "digest"), is: nil, "the field of the head")
        return heard.ends.first?.trailers ?? []
    }

    private static let earlyAnswers: [(String, LoopbackFields, Int)] = [
        ("of stated length", ["Content-Length": "2"], 200),
        ("in chunks", ["Transfer-Encoding": "chunked"], 200),
        ("without content", [:], 204),
        ("with the status 413", ["Content-Length": "2"], 413),
    ]

    /// Expects a complete response while the body's reader has no more bytes, and a closed connection after it.
    private static func expectEarlyEnd(
        _ scene: ConformanceScene, _ status: Int, _ fields: LoopbackFields
    ) async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.readBody(exactly: 1)
            try await exchange.send(head: status, fields)
            if fields["Content-Length"] != nil { try await exchange.send("ok") }
            if fields["Transfer-Encoding"] != nil {
                try await exchange.sendChunk("ok")
                try await exchange.endChunks()
            }
            while try await exchange.readBody(atMost: 100) != nil {}
            try await gate.wait()
        }
        let reader = LateReader([Data("a".utf8)])
        let running = scene.start(server.request("POST", body: .stream(reader, length: nil)))
        reader.letOneThrough()
        let heard = try await running.sink.waitForEnd()
        try expectWhole(heard)
        try expect(heard.head?.status, is: status, "the status")
        try expect(heard.text, is: status == 204 ? "" : "ok", "the body")
        try await server.waitUntil { $0.openConnectionCount == 0 }
        try expect(gate.arrivals, is: 0, "the number of bodies that seemed whole to the server")
    }

    private static func waitUntil(_ received: Watched<String>, is text: String) async throws {
        _ = try await received.when(within: .seconds(30)) {
            .timedOut("a server to receive \"\(text)\"; it received \"\(received.value)\"")
        } _: {
            $0 == text
        }
    }
}
