import Foundation
import Testing

@testable import MoyaTesting

@Suite(.timeLimit(.minutes(3))) struct LoopbackExchangeSendingTests {
    /// The bytes that a client receives, to the end, from a script that closes.
    private func answer(
        to request: String = getRoot, _ script: @escaping @Sendable (LoopbackExchange) async throws -> Void
    ) async throws -> String {
        let server = try await LoopbackServer { exchange in
            try await script(exchange)
            exchange.close()
        }
        let client = try RawClient(to: server)
        try await client.send(request)
        return try await client.receiveTextToEnd()
    }

    @Test func aHeadHasItsFieldsAndNoOthers() async throws {
        let text = try await answer { try await $0.send(head: 201, ["b": "1", "A": "2", "b": "3"]) }
        #expect(text == "HTTP/1.1 201 Created\r\nb: 1\r\nA: 2\r\nb: 3\r\n\r\n")
    }

    @Test func aHeadMayHaveAnyReasonAndVersion() async throws {
        let text = try await answer { try await $0.send(head: 799, reason: "", version: "HTTP/1.0") }
        #expect(text == "HTTP/1.0 799 \r\n\r\n")
    }

    @Test func textAndDataAreSentAsTheyAre() async throws {
        let text = try await answer { exchange in
            try await exchange.send("é")
            try await exchange.send(Data([0x21]))
            try await exchange.send([0x3F] as [UInt8])
        }
        #expect(text == "é!?")
    }

    @Test func interimResponsesComeBeforeTheAnswer() async throws {
        let text = try await answer { exchange in
            try await exchange.send(informational: 103, ["Link": "</a>"])
            try await exchange.respond(204)
        }
        #expect(text == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
    }

    @Test func respondStatesTheLength() async throws {
        #expect(
            try await answer { try await $0.respond(404, ["A": "b"], body: "none") }
                == "HTTP/1.1 404 Not Found\r\nA: b\r\nContent-Length: 4\r\n\r\nnone")
    }

    @Test func respondKeepsAWrongLength() async throws {
        #expect(
            try await answer { try await $0.respond(200, ["content-length": "9"], body: "four") }
                == "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nfour")
    }

    @Test func respondSendsNoBodyToHEAD() async throws {
        #expect(
            try await answer(to: "HEAD / HTTP/1.1\r\n\r\n") { try await $0.respond(body: "four") }
                == "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
    }

    @Test(arguments: [103, 204, 304])
    func respondSendsNoBodyWithAStatusThatHasNone(_ status: Int) async throws {
        let text = try await answer { try await $0.respond(status, body: "four") }
        #expect(text.hasSuffix("\r\n\r\n"))
        #expect(!text.contains("Content-Length"))
    }

    @Test(arguments: [("hello", "5\r\nhello\r\n0\r\n\r\n"), ("", "0\r\n\r\n")])
    func respondSendsAChunkedBodyInOneChunk(body: String, expected: String) async throws {
        let text = try await answer { try await $0.respond(200, ["Transfer-Encoding": "chunked"], body: body) }
        #expect(text == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + expected)
    }

    @Test func aConnectionIsUsableAfterAChunkedResponse() async throws {
        let server = try await LoopbackServer {
            try await $0.respond(200, ["Transfer-Encoding": "chunked"], body: $0.request.path)
        }
        let client = try RawClient(to: server)
        for path in ["/1", "/2"] {
            try await client.send("GET \(path) HTTP/1.1\r\n\r\n")
            #expect(try await client.receive(upTo: "0\r\n\r\n").hasSuffix("2\r\n\(path)\r\n0\r\n\r\n"))
        }
    }

    @Test func chunksHaveTheirSizeInHex() async throws {
        let text = try await answer { exchange in
            try await exchange.sendChunk("hello, wide world")
            try await exchange.sendChunk("")
            try await exchange.sendChunk(Data([0x21]))
            try await exchange.endChunks(trailers: ["A": "1"])
        }
        #expect(text == "11\r\nhello, wide world\r\n1\r\n!\r\n0\r\nA: 1\r\n\r\n")
    }

    @Test func malformedChunksAreSentUnchanged() async throws {
        #expect(try await answer { try await $0.send(raw: "zz\r\nhello\r\n") } == "zz\r\nhello\r\n")
    }

    @Test func aHeaderMayBeSplitOverWrites() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: "HTTP/1.1 2")
            try await gate.wait()
            try await exchange.send(raw: "00 OK\r\nConte")
            try await gate.wait()
            try await exchange.send(raw: "nt-Length: 0\r\n\r\n")
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(String(decoding: try await client.receive(), as: UTF8.self) == "HTTP/1.1 2")
        gate.open(times: 1)
        #expect(String(decoding: try await client.receive(), as: UTF8.self) == "00 OK\r\nConte")
        gate.open(times: 1)
        #expect(String(decoding: try await client.receive(), as: UTF8.self) == "nt-Length: 0\r\n\r\n")
    }

    @Test func tenThousandWritesOfOneByteArriveAsSent() async throws {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: bytes[..<0])
            try await exchange.send(bytes, inPiecesOf: 1)
            exchange.close()
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receiveToEnd() == bytes)
    }

    @Test func aTrickleArrivesByteByByteAtTheTestsPace() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            for byte in "slow".utf8 {
                try await gate.wait()
                try await exchange.send([byte])
            }
            exchange.close()
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        for byte in "slow".utf8 {
            gate.open(times: 1)
            #expect(try await client.receive() == [byte])
        }
        #expect(try await client.receive().isEmpty)
    }

    @Test func twoAnswersToOneRequestAreSent() async throws {
        let text = try await answer { exchange in
            try await exchange.respond(200, body: "one")
            try await exchange.respond(500, body: "two")
        }
        #expect(text.contains("one") && text.hasSuffix("two"))
    }

    @Test func hugeHeadersAreSent() async throws {
        let value = String(repeating: "x", count: 3_000_000)
        #expect(try await answer { try await $0.respond(200, ["A": value]) }.contains(value))
    }

    @Test func aSenderWaitsUntilItsReaderReads() async throws {
        let bytes = [UInt8](repeating: 7, count: 8 << 20)
        let filled = Gate()
        let server = try await LoopbackServer { exchange in
            var sent = 0
            while true {
                let count = try exchange.sendWhatFits(bytes[sent...])
                sent += count
                if count == 0 { break }
            }
            try await filled.wait()
            #expect(sent < bytes.count)
            try await exchange.send(bytes[sent...])
            exchange.close()
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        try await filled.waitForArrivals(1)
        filled.open()
        #expect(try await client.receiveToEnd().count == bytes.count)
    }

    @Test func aHandlerThatReturnsWithoutAResponseClosesTheConnection() async throws {
        let server = try await LoopbackServer { _ in }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receiveToEnd().isEmpty)
    }

    @Test(arguments: [true, false])
    func aHandlerThatReturnsTooEarlyClosesTheConnection(_ isChunked: Bool) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, isChunked ? ["Transfer-Encoding": "chunked"] : ["Content-Length": "9"])
            if isChunked { try await exchange.sendChunk("half") } else { try await exchange.send("half") }
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receiveTextToEnd().contains("half"))
    }

    @Test func aBodyLongerThanStatedIsLeftOnTheWire() async throws {
        let server = try await LoopbackServer { try await $0.respond(200, ["Content-Length": "2"], body: "okEXTRA") }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receiveAnswer().body == "ok")
        #expect(String(decoding: try await client.receive(exactly: 5), as: UTF8.self) == "EXTRA")
    }

    @Test func sendingToAClientThatIsGoneFails() async throws {
        let gone = Gate()
        let server = try await LoopbackServer { exchange in
            try await gone.wait()
            try await exchange.stallUntilClosed()
            let bytes = [UInt8](repeating: 0, count: 1 << 20)
            await #expect(throws: TestSupportError.reset) { while true { try await exchange.send(bytes) } }
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        try await gone.waitForArrivals(1)
        client.close(resetting: true)
        gone.open()
        try await server.waitUntil { $0.handledCount == 1 }
        #expect(server.failures.isEmpty)
    }

    @Test func sendingAfterCloseFails() async throws {
        let server = try await LoopbackServer { exchange in
            exchange.close()
            try await exchange.send("x")
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        try await server.waitUntil { $0.handledCount == 1 && $0.openConnectionCount == 0 }
        #expect(server.failures.first as? TestSupportError == .closed)
    }
}
