import Foundation
import Testing

@testable import MoyaTesting

@Suite(.timeLimit(.minutes(3))) struct LoopbackConnectionTests {
    @Test func aResetIsSeenAsAReset() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("half")
            try await gate.wait()
            exchange.reset()
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receive(upTo: "half").hasSuffix("half"))
        gate.open()
        await #expect(throws: TestSupportError.reset) { try await client.receive() }
    }

    @Test func aResetReachesAClientThatIsSending() async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.readBody(exactly: 10)
            exchange.reset()
        }
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n")
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        await #expect(throws: TestSupportError.reset) { while true { try await client.send(bytes) } }
    }

    @Test func aCloseIsSeenAsAnEnd() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("half")
            exchange.close()
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        #expect(try await client.receiveTextToEnd().hasSuffix("half"))
    }

    @Test func aCloseAmidAnUploadStillDeliversTheAnswer() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(413, body: "too large")
            exchange.close()
        }
        let client = try RawClient(to: server)
        let size = 4 << 20
        try await client.send("POST / HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n")
        try await client.send([UInt8](repeating: 0, count: size))
        #expect(try await client.receiveTextToEnd().hasSuffix("too large"))
    }

    @Test func aCloseOverUnreadBytesIsStillNoReset() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(200, ["Connection": "close"], body: "whole")
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot + String(repeating: "x", count: 100_000))
        gate.open()
        #expect(try await client.receiveTextToEnd().hasSuffix("whole"))
    }

    @Test func anIdleConnectionCanBeResetFromTheTest() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        _ = try await client.receiveAnswer()
        try #require(server.openConnections.first).reset()
        await #expect(throws: TestSupportError.reset) { try await client.receive() }
    }

    @Test func bytesThatCameWithTheHeadAreReceivedUnparsed() async throws {
        let received = Watched(Data())
        let server = try await LoopbackServer { exchange in
            let bytes = try await exchange.connection.receive(atMost: 1)
            received.update { $0 = bytes }
        }
        let client = try RawClient(to: server)
        try await client.send(getRoot + "xy")
        client.endSending()
        _ = try await client.receiveToEnd()
        #expect(received.value == Data("x".utf8))
    }

    @Test func closingTheSendingSideLeavesAnUploadStuck() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 8_192)) { exchange in
            exchange.closeSending()
            try await gate.wait()
        }
        let client = try RawClient(to: server)
        try await client.send("POST / HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n")
        #expect(try await client.receiveToEnd().isEmpty)
        let bytes = [UInt8](repeating: 0, count: 64 << 20)
        var sent = 0
        while case let count = try client.sendWhatFits(Array(bytes[sent...])), count > 0 { sent += count }
        #expect(sent < bytes.count)
        gate.open()
    }

    @Test func aStalledExchangeEndsWhenTheClientCloses() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        try await server.waitUntil { $0.requestCount == 1 }
        #expect(server.activity.handledCount == 0)
        client.close()
        try await server.waitUntil { $0.handledCount == 1 && $0.openConnectionCount == 0 }
        #expect(server.failures.isEmpty)
    }

    @Test func aStalledExchangeEndsWhenTheClientResets() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let client = try RawClient(to: server)
        try await client.send(getRoot)
        try await server.waitUntil { $0.requestCount == 1 }
        client.close(resetting: true)
        try await server.waitUntil { $0.handledCount == 1 }
        #expect(server.failures.isEmpty)
    }

    @Test func aConnectionCanBeResetAsSoonAsItIsOpen() async throws {
        let server = try await LoopbackServer(onConnection: { $0.reset() }) { try await $0.respond() }
        let client = try RawClient(to: server)
        try await server.waitUntil { $0.connectionCount == 1 && $0.openConnectionCount == 0 }
        await #expect(throws: TestSupportError.self) {
            try await client.send(getRoot)
            _ = try await client.receive()
        }
        #expect(server.requestCount == 0)
    }

    @Test func anEndWithinAPipelinedHeadIsAFailure() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let client = try RawClient(to: server)
        try await client.send(getRoot + "GET /half")
        client.endSending()
        try await server.waitUntil { $0.handledCount == 1 && $0.openConnectionCount == 0 }
        #expect(server.failures.map { $0 as? TestSupportError } == [.ended])
    }

    @Test func anEndAfterAnEmptyLineIsNoFailure() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let client = try RawClient(to: server)
        try await client.send("\r\n")
        client.endSending()
        try await server.waitUntil { $0.connectionCount == 1 && $0.openConnectionCount == 0 }
        #expect(server.failures.isEmpty)
    }

    @Test func theServerMaySpeakFirst() async throws {
        let server = try await LoopbackServer(onConnection: { try await $0.send("HTTP/1.1 408 Late\r\n\r\n") }) {
            try await $0.respond()
        }
        let client = try RawClient(to: server)
        #expect(try await client.receive(upTo: "\r\n\r\n") == "HTTP/1.1 408 Late\r\n\r\n")
    }

    @Test func aConnectionProvidesItsUnreadBytes() async throws {
        let server = try await LoopbackServer(onConnection: { connection in
            try await connection.send(connection.receive())
            connection.close()
        }) { _ in }
        let client = try RawClient(to: server)
        try await client.send("\u{16}\u{3}\u{1}")
        #expect(try await client.receiveToEnd() == [22, 3, 1])
    }
}
