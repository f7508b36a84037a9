import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addRequestBodies(to list: inout BehaviorList) {
        list.startGroup("request bodies")
        for (method, length) in [("POST", "0"), ("PUT", "0"), ("GET", nil), ("HEAD", nil), ("DELETE", nil)]
            as [(String, String?)]
        {
            list.add("a \(method) without body states \(length.map { "the length \($0)" } ?? "no length")") { scene in
                let fields = try await scene.received(method).fields
                try expect(fields["Content-Length"], is: length, "Content-Length")
                try expect(fields["Transfer-Encoding"], is: nil, "Transfer-Encoding")
            }
        }
        list.add("empty data states the length 0") { scene in
            let request = try await scene.received("POST", body: .data(Data()))
            try expect(request.fields.values(for: "content-length"), is: ["0"], "Content-Length")
        }
        for size in [1, 16_383, 65_537, 3_000_001] {
            list.add("\(size) bytes of data arrive with their length") { scene in
                let data = unlikeBytes(size)
                let request = try await scene.received("POST", body: .data(data))
                try expect(request.body == data, "the body arrives byte for byte")
                try expect(request.fields.values(for: "content-length"), is: ["\(size)"], "Content-Length")
            }
        }
        list.add("a slice of data arrives") { scene in
            let slice = unlikeBytes(100_000)[1_000..<90_000]
            let request = try await scene.received("PUT", body: .data(slice))
            try expect(request.body == Data(slice), "the body arrives byte for byte")
        }
        list.add("a file arrives with its length") { scene in
            try await withFile(unlikeBytes(1_000_003)) { file, data in
                let request = try await scene.received("PUT", body: .file(file, length: Int64(data.count)))
                try expect(request.body == data, "the body arrives byte for byte")
                try expect(request.fields.values(for: "content-length"), is: ["\(data.count)"], "Content-Length")
            }
        }
        list.add("an empty file arrives") { scene in
            try await withFile(Data()) { file, _ in
                try expect(try await scene.received("PUT", body: .file(file, length: 0)).body, is: Data(), "the body")
            }
        }
        list.add("a file that is not there ends the exchange unsent") { scene in
            let file = URL(fileURLWithPath: "/nonexistent/\(UUID().uuidString)")
            try await expectUnreadable(scene, .file(file, length: 5), unsent: true)
        }
        list.add("a pipe in place of a file ends the exchange unsent") { scene in
            let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-\(UUID().uuidString)")
            try expect(mkfifo(pipe.path, 0o600), is: 0, "mkfifo")
            defer { try? FileManager.default.removeItem(at: pipe) }
            try await expectUnreadable(scene, .file(pipe, length: 5), unsent: true)
        }
        list.add("a file shorter than stated ends the exchange") { scene in
            try await withFile(Data("short".utf8)) { file, _ in
                try await expectUnreadable(scene, .file(file, length: 500))
            }
        }
        for stated in [2, 9] as [Int64] {
            list.add("a stream with more than the \(stated) bytes stated for it ends the exchange") { scene in
                try await expectUnreadable(scene, .stream(PieceReader(unlikeBytes(11), piece: 5), length: stated))
            }
        }
        list.add("a stream stated to be empty is not read, so that it can be sent again") { scene in
            let reader = PieceReader(Data(count: 9), piece: 9)
            let request = try await scene.received("POST", body: .stream(reader, length: 0))
            try expect(request.body, is: Data(), "the body")
            try expect(reader.count, is: 0, "the bytes that were read")
        }
        list.add("a stream of known length arrives with it") { scene in
            let data = unlikeBytes(300_000)
            let body = TransportBody.stream(PieceReader(data, piece: 777), length: 300_000)
            let request = try await scene.received("POST", body: body)
            try expect(request.body == data, "the body arrives byte for byte")
            try expect(request.fields.values(for: "content-length"), is: ["300000"], "Content-Length")
            try expect(request.fields["Transfer-Encoding"], is: nil, "Transfer-Encoding")
        }
        list.add("a stream of unknown length arrives in chunks") { scene in
            let data = unlikeBytes(300_000)
            let request = try await scene.received("POST", body: .stream(PieceReader(data, piece: 777), length: nil))
            try expect(request.body == data, "the body arrives byte for byte")
            try expect(request.fields.values(for: "transfer-encoding"), is: ["chunked"], "Transfer-Encoding")
            try expect(request.fields["Content-Length"], is: nil, "Content-Length")
        }
        list.add("an empty stream of unknown length arrives") { scene in
            let request = try await scene.received("POST", body: .stream(PieceReader(Data(), piece: 1), length: nil))
            try expect(request.body, is: Data(), "the body")
        }
        list.add("a reader that has nothing yet is asked again when it has") { scene in
            let server = try await LoopbackServer.reading()
            let reader = LateReader([Data("late ".utf8), Data("but whole".utf8)])
            let running = scene.start(server.request("POST", body: .stream(reader, length: nil)))
            for times in 1...3 {
                try await reader.waitUntilAsked(times: times)
                reader.letOneThrough()
            }
            try expectWhole(try await running.sink.waitForEnd())
            try expect(server.requests.first?.body, is: Data("late but whole".utf8), "the body")
        }
        list.add("a reader that has nothing yet holds up no other exchange") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: try await $0.body()) }
            let reader = LateReader([Data("late".utf8)])
            let running = scene.start(server.request("POST", body: .stream(reader, length: nil)))
            try await reader.waitUntilAsked(times: 1)
            try await scene.letTheTransportWork()
            try expect(!running.sink.heard.isEnded, "the upload goes on")
            running.handle.cancel()
            try expectFailure(try await running.sink.waitForEnd(), .cancelled)
        }
        list.add("a reader that throws ends the exchange") { scene in
            let reader = PieceReader(unlikeBytes(100_000), piece: 777, breaksAt: 50_000)
            try await expectUnreadable(scene, .stream(reader, length: 100_000))
        }
        list.add("a reader that returns a negative number ends the exchange") { scene in
            try await expectUnreadable(scene, .stream(NegativeReader(), length: nil))
        }
        list.add("a reader that waits for bytes is released with its cancelled exchange") { scene in
            try expect(try await cancelled(scene)() == nil, "the reader is released")
        }
        list.add("a reader that ends before its length ends the exchange") { scene in
            try await expectUnreadable(scene, .stream(PieceReader(unlikeBytes(10), piece: 5), length: 100))
        }
    }

    static func addUploads(to list: inout BehaviorList) {
        list.startGroup("uploads")
        list.add("a server that does not read makes the upload wait") { scene in
            let gate = Gate()
            let data = unlikeBytes(8 << 20)
            let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
                try await gate.wait()
                try await exchange.respond(body: try await exchange.body() == data ? "same" : "other")
            }
            let running = scene.start(server.request("POST", body: .data(data), reportsSentBytes: true))
            try await gate.waitForArrivals(1)
            try await scene.letTheTransportWork()
            try expect((running.sink.heard.sent.last ?? 0) < 8 << 20, "not all is said to be sent")
            gate.open()
            try expect(try await running.sink.waitForEnd().text, is: "same", "the answer")
        }
        list.add("a reader is asked for no more than the server takes") { scene in
            let gate = Gate()
            let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
                try await gate.wait()
                try await exchange.respond(body: "\(try await exchange.discardBody())")
            }
            let reader = PieceReader(Data(count: 32 << 20), piece: 32 << 20)
            let running = scene.start(server.request("POST", body: .stream(reader, length: 32 << 20)))
            try await gate.waitForArrivals(1)
            try await scene.letTheTransportWork()
            try expect(
                reader.count < 24 << 20, "the reader waits for the server; it was asked for \(reader.count) bytes")
            gate.open()
            try expect(try await running.sink.waitForEnd().text, is: "\(32 << 20)", "the answer")
        }
        list.add("an answer during the upload is reported") { scene in
            let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
                try await exchange.respond(413, ["Connection": "close"], body: "too large")
            }
            let heard = try await scene.run(server.request("POST", body: .data(Data(count: 4 << 20))))
            try expectWhole(heard)
            try expect(heard.head?.status, is: 413, "the status")
            try expect(heard.text, is: "too large", "the body")
        }
        list.add("a head during the upload is reported before the upload is over") { scene in
            let gate = Gate()
            let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
                try await exchange.send(head: 200, ["Content-Length": "2"])
                try await gate.wait()
                try await exchange.discardBody()
                try await exchange.send("ok")
            }
            let running = scene.start(server.request("POST", body: .data(Data(count: 4 << 20))))
            try await running.sink.waitUntil { $0.head != nil }
            gate.open()
            try expect(try await running.sink.waitForEnd().text, is: "ok", "the body")
        }
        list.add("an upload is sent again whole, or fails, when its kept connection dies") { scene in
            let server = try await LoopbackServer { exchange in
                if exchange.request.connectionNumber == 1, exchange.request.path == "/2" { return exchange.reset() }
                _ = try await exchange.body()
                try await exchange.respond()
            }
            _ = try await scene.run(server.request("GET", "/1"))
            let data = unlikeBytes(1_000)
            let body = TransportBody.stream(PieceReader(data, piece: 77), length: 1_000)
            let heard = try await scene.run(server.request("PUT", "/2", body: body))
            guard heard.failure == nil else { return try expectFailure(heard, .reset) }
            try expect(server.requests.last?.body == data, "the body arrives byte for byte")
        }
    }

    static func addExpectations(to list: inout BehaviorList) {
        list.startGroup("Expect: 100-continue")
        let fields = [("Expect", "100-continue")]
        list.add("Expect is not sent by default with a large body") { scene in
            try expect(
                try await scene.received("POST", body: .data(Data(count: 3 << 20))).fields["Expect"], is: nil, "Expect")
        }
        list.add("Expect is sent on request, and the 100 is reported") { scene in
            let server = try await LoopbackServer.reading()
            let heard = try await scene.run(server.request("POST", "/", fields, body: .data(Data("x".utf8))))
            try expectWhole(heard)
            try expect(heard.informational.map(\.status), is: [100], "the interim responses")
            try expect(server.requests.first?.body, is: Data("x".utf8), "the body")
        }
        list.add("Expect holds the body back until the server sends 100") { scene in
            let gate = Gate()
            let server = try await LoopbackServer(.init(answersExpectations: false)) { exchange in
                try await gate.wait()
                try await exchange.send(informational: 100)
                try await exchange.respond(body: try await exchange.body())
            }
            let reader = PieceReader(Data(count: 100), piece: 100)
            let running = scene.start(server.request("POST", "/", fields, body: .stream(reader, length: 100)))
            try await gate.waitForArrivals(1)
            try expect(running.sink.heard.order, is: [], "the events")
            gate.open()
            try expect(try await running.sink.waitForEnd().byteCount, is: 100, "the length of the answer")
        }
        list.add("a refusal ends the exchange without the body") { scene in
            let server = try await LoopbackServer(.init(answersExpectations: false)) { exchange in
                try await exchange.respond(403, ["Connection": "close"], body: "no")
            }
            let heard = try await scene.run(server.request("POST", "/", fields, body: .data(Data(count: 100_000))))
            try expectWhole(heard)
            try expect(heard.head?.status, is: 403, "the status")
            try expect(heard.text, is: "no", "the body")
        }
        list.add("a server that sends nothing receives the body after a while") { scene in
            let server = try await LoopbackServer(.init(answersExpectations: false)) { exchange in
                try await exchange.respond(body: try await exchange.body())
            }
            let heard = try await scene.run(server.request("POST", "/", fields, body: .data(Data("x".utf8))))
            try expect(heard.text, is: "x", "the body")
        }
    }

    /// The reader of a cancelled exchange, which only a transport can still retain.
    private static func cancelled(_ scene: ConformanceScene) async throws -> @Sendable () -> LateReader? {
        let server = try await LoopbackServer.reading()
        let reader = LateReader([])
        let running = scene.start(server.request("POST", body: .stream(reader, length: nil)))
        try await reader.waitUntilAsked(times: 1)
        running.handle.cancel()
        _ = try await running.sink.waitForEnd()
        try await scene.letTheTransportWork()
        return { [weak reader] in reader }
    }

    private static func expectUnreadable(
        _ scene: ConformanceScene, _ body: TransportBody, unsent: Bool = false
    ) async throws {
        let server = try await LoopbackServer.reading()
        let heard = try await scene.run(server.request("POST", body: body))
        try expectFailure(heard, .requestBody)
        guard unsent else { return }
        try await scene.expectNothingSent(to: server)
        try expect(server.connectionCount, is: 1, "the number of connections")
    }

    private static func withFile(
        _ data: Data, _ use: (URL, Data) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await use(file, data)
    }
}

/// A reader that returns the number of the error, as `InputStream` does.
private final class NegativeReader: TransportBodyReader {
    func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? { -1 }
    func rewind() -> Bool { true }
}
