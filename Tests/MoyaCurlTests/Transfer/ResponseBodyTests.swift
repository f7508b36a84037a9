#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct ResponseBodyTests {
    @Test func aBodyEndsAtItsContentLength() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.text == "hello")
        #expect(answer.order == ["head", "chunk", "end"])
        #expect(answer.failure == nil)
    }

    @Test func anEmptyBodyMakesNoChunk() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        #expect(try await CurlTransport.separate().run(server.request()).order == ["head", "end"])
    }

    @Test func chunksAreJoined() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
            for part in ["he", "l", "lo"] { try await exchange.sendChunk(part) }
            try await exchange.endChunks()
        }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.text == "hello")
        #expect(answer.failure == nil)
    }

    @Test func aChunkedBodySplitAtEveryByteIsJoined() async throws {
        let server = try await LoopbackServer { exchange in
            let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
            try await exchange.send(answer.utf8, inPiecesOf: 1)
            exchange.close()
        }
        #expect(try await CurlTransport.separate().run(server.request()).text == "hello")
    }

    @Test func aBodyWithoutFramingEndsWithTheConnection() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\n\r\nuntil the end")
        #expect(answer.text == "until the end")
        #expect(answer.failure == nil)
    }

    @Test func aBodyOfHTTP10EndsWithTheConnection() async throws {
        let answer = try await recording(of: "HTTP/1.0 200 OK\r\nA: b\r\n\r\nold")
        #expect(answer.text == "old")
        #expect(answer.failure == nil)
    }

    @Test(arguments: [204, 304])
    func aStatusWithoutBodyEndsAtItsHeadForAnyStatedLength(_ status: Int) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: status, ["Content-Length": "5"])
        }
        let transport = CurlTransport.separate()
        for _ in 0..<2 {
            let answer = try await transport.run(server.request(timeouts: .init(total: 60)))
            #expect(answer.head?.status == status)
            #expect(answer.body.isEmpty)
            #expect(answer.failure == nil)
        }
    }

    @Test func theResponseToHEADEndsAtItsHeadForAnyStatedLength() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "five!") }
        let transport = CurlTransport.separate()
        for _ in 0..<2 {
            let answer = try await transport.run(server.request("HEAD", timeouts: .init(total: 60)))
            #expect(answer.head?.contentLength == 5)
            #expect(answer.body.isEmpty)
            #expect(answer.failure == nil)
        }
        #expect(server.connectionCount == 1)
    }

    @Test func theAnswerToHEADMayBeChunked() async throws {
        let server = try await LoopbackServer { try await $0.send(head: 200, ["Transfer-Encoding": "chunked"]) }
        let answer = try await CurlTransport.separate().run(server.request("HEAD", timeouts: .init(total: 60)))
        #expect(answer.failure == nil)
    }

    @Test(arguments: ["x", ""]) func theAnswerToHEADWithABodyEndsAtItsHead(body: String) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.discardBody()
            try await exchange.respond(body: "five!")
        }
        let answer = try await CurlTransport.separate().run(
            server.request("HEAD", body: .data(Data(body.utf8)), timeouts: .init(total: 60)))
        #expect(answer.head?.status == 200)
        #expect(answer.failure == nil)
    }

    @Test func everyByteValueArrives() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        let server = try await LoopbackServer { try await $0.respond(body: bytes) }
        #expect(try await CurlTransport.separate().run(server.request()).body == bytes)
    }

    @Test func thirtyTwoMegabytesArriveByteExact() async throws {
        let bytes = unlikeBytes(32 << 20)
        let server = try await LoopbackServer { try await $0.respond(body: bytes) }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.body == bytes)
        #expect(answer.chunkCount > 1)
    }

    @Test func tenThousandWritesOfOneByteArriveByteExact() async throws {
        let bytes = unlikeBytes(10_000)
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "10000"])
            try await exchange.send(bytes, inPiecesOf: 1)
        }
        #expect(try await CurlTransport.separate().run(server.request()).body == bytes)
    }

    @Test func chunksReachTheSinkAsTheyArrive() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "3"])
            for byte in "abc".utf8 {
                try await exchange.send([byte])
                try await gate.wait()
            }
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        for text in ["a", "ab", "abc"] {
            try await running.sink.waitUntil { $0.text == text }
            gate.open(times: 1)
        }
        #expect(try await running.sink.waitForEnd().failure == nil)
    }

    @Test func anAnswerThatComesDuringTheUploadEndsTheExchange() async throws {
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
            try await exchange.respond(413, ["Connection": "close"], body: "too large")
        }
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .data(Data(count: 8 << 20)), timeouts: .init(total: 60)))
        #expect(answer.head?.status == 413)
        #expect(answer.text == "too large")
        #expect(answer.failure == nil)
    }

    /// Up to a status of 299, libcurl goes on sending.
    @Test(arguments: [["Content-Length": "5"], ["Transfer-Encoding": "chunked"]] as [LoopbackFields])
    func aCompleteAnswerSurvivesABrokenUpload(fields: LoopbackFields) async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.readBody(exactly: 100_000)
            try await exchange.send(head: 200, fields)
            if fields["Content-Length"] == nil {
                try await exchange.sendChunk("early")
                try await exchange.endChunks()
            } else {
                try await exchange.send("early")
            }
            // The client goes on meanwhile, and has read the answer.
            _ = try await exchange.readBody(exactly: 8 << 20)
            exchange.reset()
        }
        let answer = try await CurlTransport.separate().run(
            server.request("PUT", body: .data(Data(count: 32 << 20)), timeouts: .init(total: 60)))
        #expect(answer.text == "early")
        #expect(answer.failure == nil)
    }

    @Test func aCompleteAnswerSurvivesAServerThatReadsNoMore() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.readBody(exactly: 100_000)
            try await exchange.send(head: 200, ["Content-Length": "5"])
            try await exchange.send("early")
            try await gate.wait()
        }
        let answer = try await CurlTransport.separate().run(
            server.request("PUT", body: .data(Data(count: 32 << 20)), timeouts: .init(idle: 0.5)))
        #expect(answer.text == "early")
        #expect(answer.failure == nil)
        gate.open()
    }

    @Test func anAnswerThatIsCutShortDuringTheUploadIsAFailure() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.readBody(exactly: 100_000)
            try await exchange.send(head: 200, ["Content-Length": "50"])
            try await exchange.send("early")
            _ = try await exchange.readBody(exactly: 8 << 20)
            exchange.reset()
        }
        let answer = try await CurlTransport.separate().run(
            server.request("PUT", body: .data(Data(count: 32 << 20)), timeouts: .init(total: 60)))
        #expect(answer.failure != nil)
    }
}
#endif
