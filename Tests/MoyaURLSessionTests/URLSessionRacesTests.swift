import Foundation
import MoyaTesting
import MoyaTransport
import MoyaURLSession
import Testing

/// Calls at moments when Foundation on Linux may end the process.
@Suite struct URLSessionRacesTests {
    private static func server() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.discardBody()
            switch exchange.request.path {
            case "/redirect": try await exchange.respond(302, ["Location": "/elsewhere"], body: "moved")
            case "/challenge":
                try await exchange.respond(401, ["WWW-Authenticate": "Basic realm=\"a\""], body: "who?")
            default: try await exchange.respond(body: "ok")
            }
        }
    }

    private static func request(_ server: LoopbackServer, _ path: String, _ body: TransportBody) -> HTTPRequest {
        HTTPRequest(method: "POST", url: "\(server.url)\(path)", body: body)
    }

    /// Cancels at the moment when the server has the request, while its answer is on the way.
    @Test(arguments: ["/redirect", "/challenge", "/plain"])
    func aCancellationMayRaceWithTheAnswer(_ path: String) async throws {
        let server = try await Self.server()
        let transport = URLSessionTransport()
        for round in 1...200 {
            let sink = EndSink()
            let exchange = transport.start(Self.request(server, path, .data(Data([1]))), delivering: sink)
            try await server.waitUntil { $0.requestCount >= round }
            exchange.cancel()
            await sink.waitForEnd()
            #expect(sink.ends.count == 1)
        }
    }

    @Test(arguments: ["/redirect", "/challenge", "/plain"])
    func aTransportMayBeReleasedDuringItsExchanges(_ path: String) async throws {
        let server = try await Self.server()
        for _ in 1...50 {
            var transport: URLSessionTransport? = URLSessionTransport()
            let sinks = (0..<4).map { _ in EndSink() }
            let exchanges = sinks.compactMap {
                transport?.start(Self.request(server, path, .data(Data([1]))), delivering: $0)
            }
            transport = nil
            for sink in sinks { await sink.waitForEnd() }
            // Too late to matter, and on a session that is invalid.
            for exchange in exchanges {
                exchange.pause()
                exchange.resume()
                exchange.cancel()
            }
            #expect(sinks.allSatisfy { $0.ends.count == 1 })
        }
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    /// Has nothing to give, ever.
    private final class SilentReader: TransportBodyReader {
        func read(
            into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
        ) throws -> Int? {
            nil
        }

        func rewind() -> Bool { true }
    }

    @Test func aTransportMayBeReleasedWhileABodyIsAwaited() async throws {
        let server = try await Self.server()
        var transport: URLSessionTransport? = URLSessionTransport()
        let sink = EndSink()
        _ = transport?.start(Self.request(server, "/", .stream(SilentReader(), length: 5)), delivering: sink)
        transport = nil
        await sink.waitForEnd()
        #expect(sink.ends.map(\.failure?.kind) == [.cancelled])
    }

    @Test func boundsHoldWhileABodyIsAwaited() async throws {
        let server = try await Self.server()
        let transport = URLSessionTransport()
        let sink = EndSink()
        var request = Self.request(server, "/", .stream(SilentReader(), length: nil))
        request.timeouts.total = 0.2
        _ = transport.start(request, delivering: sink)
        await sink.waitForEnd()
        #expect(sink.ends.map(\.failure?.kind) == [.timeout(.total)])
    }

    /// Foundation requests the body again when the connection that it kept turns out to be dead, or reports the end.
    @Test func aBodyInMemoryIsSentWholeOrNotWhenItsConnectionDies() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.connectionNumber == 1, exchange.request.path == "/2" { return exchange.reset() }
            _ = try await exchange.body()
            try await exchange.respond()
        }
        let transport = URLSessionTransport()
        for path in ["/1", "/2"] {
            let sink = EndSink()
            _ = transport.start(Self.request(server, path, .data(Data(repeating: 7, count: 1_000))), delivering: sink)
            await sink.waitForEnd()
            let end = try #require(sink.ends.first)
            if path == "/1" { #expect(end.failure == nil) }
            guard let failure = end.failure else {
                #expect(server.requests.last?.body?.count == 1_000)
                continue
            }
            #expect(failure.kind == .reset)
        }
    }
}
