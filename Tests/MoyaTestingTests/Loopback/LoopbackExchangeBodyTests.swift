import Foundation
import Testing

@testable import MoyaTesting

@Suite(.timeLimit(.minutes(3))) struct LoopbackExchangeBodyTests {
    private func echo() async throws -> LoopbackServer {
        try await LoopbackServer { try await $0.respond(body: try await $0.body()) }
    }

    @Test func aBodyOfStatedLengthIsRead() async throws {
        let server = try await echo()
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
        #expect(try await client.receiveAnswer().body == "hello")
    }

    @Test func aChunkedBodyIsReadWithItsTrailers() async throws {
        let server = try await LoopbackServer { exchange in
            let body = try await exchange.body()
            try await exchange.respond(body: body + Data((exchange.trailers["T"] ?? "").utf8))
        }
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        try await client.send("2\r\nhe\r\n3\r\nllo\r\n0\r\nT: !\r\n\r\n")
        #expect(try await client.receiveAnswer().body == "hello!")
    }

    @Test func aRequestWithoutBodyHasAnEmptyOne() async throws {
        let server = try await echo()
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receiveAnswer().body.isEmpty)
    }

    @Test func aBodyIsReadInSteps() async throws {
        let server = try await LoopbackServer { exchange in
            let first = try await exchange.readBody(exactly: 3)
            let rest = try await exchange.discardBody()
            #expect(try await exchange.readBody(atMost: 1) == nil)
            try await exchange.respond(body: String(decoding: first, as: UTF8.self) + " \(rest)")
        }
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123")
        try await client.send("456789")
        #expect(try await client.receiveAnswer().body == "012 7")
    }

    @Test func anUnreadBodyLeavesItsSenderWaiting() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 8_192)) { exchange in
            try await gate.wait()
            try await exchange.respond(body: "\(try await exchange.discardBody())")
        }
        let client = try RawClient(to: server)
        let size = 8 << 20
        try await client.send("POST / HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n")
        try await gate.waitForArrivals(1)
        let bytes = [UInt8](repeating: 1, count: size)
        var sent = 0
        while true {
            let count = try client.sendWhatFits(Array(bytes[sent...]))
            sent += count
            if count == 0 { break }
        }
        #expect(sent < size)
        gate.open()
        try await client.send(Array(bytes[sent...]))
        #expect(try await client.receiveAnswer().body == "\(size)")
    }

    @Test func readingTheBodyAnswersAnExpectation() async throws {
        let server = try await echo()
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try await client.receive(upTo: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try await client.send("ok")
        #expect(try await client.receiveAnswer().body == "ok")
    }

    @Test func anExpectationIsNotAnsweredAfterTheFinalAnswer() async throws {
        let server = try await LoopbackServer { try await $0.respond(417, body: "no") }
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try await client.receiveAnswer().statusLine == "HTTP/1.1 417 Expectation Failed")
        client.endSending()
        #expect(try await client.receiveToEnd().isEmpty)
        try await server.waitUntil { $0.handledCount == 1 }
        #expect(server.failures.isEmpty)
    }

    @Test func expectationsCanBeLeftToTheScript() async throws {
        let server = try await LoopbackServer(.init(answersExpectations: false)) { exchange in
            try await exchange.respond(body: try await exchange.body())
        }
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok")
        #expect(try await client.receive(upTo: "\r\n") == "HTTP/1.1 200 OK\r\n")
    }

    @Test func aClientThatEndsWithinItsBodyIsAFailure() async throws {
        let server = try await echo()
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhe")
        client.endSending()
        #expect(try await client.receiveToEnd().isEmpty)
        #expect(server.failures.first as? TestSupportError == .ended)
    }

    @Test func aClientThatResetsWithinItsBodyIsAFailure() async throws {
        let server = try await echo()
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhe")
        try await server.waitUntil { $0.requestCount == 1 }
        client.close(resetting: true)
        try await server.waitUntil { $0.openConnectionCount == 0 }
        #expect(server.failures.first as? TestSupportError == .reset)
    }

    @Test(arguments: ["Content-Length: +4", "Content-Length: -4", "Content-Length: 0x4"])
    func aLengthThatIsNotOfDigitsIsRefused(field: String) async throws {
        let server = try await echo()
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\n\(field)\r\n\r\nsent")
        #expect(try await client.receiveTextToEnd().hasPrefix("HTTP/1.1 400 "))
    }

    @Test(arguments: ["+4", "-4", "0x4"])
    func aChunkSizeThatIsNotOfDigitsIsRefused(size: String) async throws {
        let server = try await echo()
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nsent\r\n0\r\n\r\n")
        #expect(try await client.receiveTextToEnd().hasPrefix("HTTP/1.1 400 "))
    }

    @Test func aBadChunkIsAFailure() async throws {
        let server = try await echo()
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        #expect(try await client.receiveTextToEnd().hasPrefix("HTTP/1.1 400 "))
        #expect(server.failures.first as? TestSupportError == .malformedRequest("the chunk size is 'zz'"))
    }
}
