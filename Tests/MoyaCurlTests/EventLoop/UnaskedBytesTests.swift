#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// Bytes that answer no request must not answer the next one (RFC 9112 section 9.2).
@Suite(.timeLimit(.minutes(3))) struct UnaskedBytesTests {
    static let bytes = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nrogue", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        "H", "garbage", "\r\n", "\0",
    ]

    private func echo() async throws -> LoopbackServer {
        try await LoopbackServer { try await $0.respond(body: $0.request.path) }
    }

    private func expectClean(_ answer: HeardEvents, _ path: String) {
        #expect(answer.failure == nil)
        #expect(answer.head?.status == 200)
        #expect(answer.text == path)
        #expect(answer.informational.isEmpty)
    }

    @Test(arguments: bytes)
    func bytesOnAnIdleConnectionAnswerNothing(_ bytes: String) async throws {
        let server = try await echo()
        let transport = CurlTransport.separate()
        expectClean(try await transport.run(server.request("GET", "/1")), "/1")
        try await server.openConnections[0].send(bytes)
        expectClean(try await transport.run(server.request("GET", "/2")), "/2")
        #expect(server.connectionCount == 2)
    }

    @Test(arguments: ["GET", "POST"])
    func bytesOnAConnectionThatWasUsedAgainAnswerNothing(_ method: String) async throws {
        let server = try await echo()
        let transport = CurlTransport.separate()
        for round in 0..<5 {
            expectClean(try await transport.run(server.request("GET", "/\(round)")), "/\(round)")
            expectClean(try await transport.run(server.request("GET", "/again")), "/again")
            #expect(server.connectionCount == round + 1)
            try await server.openConnections.last?.send(Self.bytes[0])
            expectClean(try await transport.run(server.request(method, "/after", body: .none)), "/after")
        }
    }

    @Test func unsolicitedBytesCloseTheIdleConnection() async throws {
        let server = try await echo()
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request())
        let connection = server.openConnections[0]
        try await connection.send(Self.bytes[0])
        try await server.waitUntil { $0.openConnectionCount == 0 }
        withExtendedLifetime(transport) {}
    }

    /// The surplus lies in the kernel when the connection is free again: libcurl reads no more than a stated length.
    @Test(arguments: [1, 16_384, 40_000, 200_000])
    func bytesAfterALongAnswerDoNotAnswerAQueuedCall(_ length: Int) async throws {
        let server = try await LoopbackServer { exchange in
            guard exchange.request.path == "/long" else { return try await exchange.respond(body: "clean") }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
            try await exchange.send(raw: head + String(repeating: "x", count: length) + Self.bytes[0])
        }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        for _ in 0..<20 {
            let long = transport.begin(server.request("GET", "/long"))
            let next = transport.begin(server.request("GET", "/next"))
            #expect(try await long.sink.waitForEnd().body.count == length)
            expectClean(try await next.sink.waitForEnd(), "clean")
        }
    }

    /// libcurl has read the whole response, of which the sink has taken only a part.
    @Test func bytesAfterAnAnswerThatIsNotTakenYetAnswerNothing() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(
                body: exchange.request.path == "/long" ? unlikeBytes(65_536) : Data("clean".utf8))
        }
        let transport = CurlTransport.separate()
        let long = transport.begin(server.request("GET", "/long"), sink: ListeningSink { _ in .wait })
        try await long.sink.waitUntil { $0.head != nil }
        for count in 1...2 {
            long.handle.resume()
            try await long.sink.waitUntil { $0.chunkCount >= count }
        }
        try await transport.settle()
        try await server.openConnections[0].send(Self.bytes[0])
        for _ in 0..<2 { expectClean(try await transport.run(server.request("GET", "/next")), "clean") }
        while long.sink.heard.ends.isEmpty {
            long.handle.resume()
            try await transport.settle()
        }
        #expect(long.sink.heard.body == unlikeBytes(65_536))
    }

    @Test func aCallStartedByTheEndOfAnotherIsAnsweredByItsOwnAnswer() async throws {
        let server = try await LoopbackServer { exchange in
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n" + String(repeating: "x", count: 30_000)
            guard exchange.request.path == "/1" else { return try await exchange.respond(body: "clean") }
            try await exchange.send(raw: answer + Self.bytes[0])
        }
        let transport = CurlTransport.separate()
        for _ in 0..<20 {
            let inner = ListeningSink()
            let outer = ListeningSink { recording in
                if recording.order.last == "end" { _ = transport.start(server.request("GET", "/2"), delivering: inner) }
                return .more
            }
            _ = try await transport.run(server.request("GET", "/1"), sink: outer)
            expectClean(try await inner.waitForEnd(), "clean")
        }
    }

    /// A reader that pauses leaves its connection unwatched, with bytes on it: that one is not idle.
    @Test func aPausedAnswerIsNotTakenForAnIdleConnection() async throws {
        let body = unlikeBytes(4 << 20)
        let server = try await LoopbackServer { try await $0.respond(body: body) }
        let transport = CurlTransport.separate()
        for _ in 0..<3 {
            let sink = ListeningSink { $0.chunkCount == 1 ? .wait : .more }
            let running = transport.begin(server.request(), sink: sink)
            try await sink.waitUntil { $0.chunkCount == 1 }
            try await transport.settle()
            running.handle.resume()
            #expect(try await sink.waitForEnd().body == body)
        }
        #expect(server.connectionCount == 1)
    }
}
#endif
