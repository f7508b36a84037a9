import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The sessions of one transport.
@Suite struct URLSessionWireTests {
    private let wire = URLSessionWire(URLSessionSettings(TransportConfiguration()))

    private func exchange(_ url: String, _ sink: EndSink = EndSink()) -> URLSessionExchange {
        URLSessionExchange(request: HTTPRequest(method: "GET", url: url), sink: sink, wire: wire)
    }

    private func session(_ scope: ConnectionScope) throws -> URLSession {
        try #require(wire.queue.sync { wire.openSession(for: scope) })
    }

    private func origin(port: Int) throws -> ConnectionScope {
        .origin(try #require(HTTPOrigin(isOverTLS: true, host: "sample.test", port: port)))
    }

    @Test func eachScopeHasASession() throws {
        defer { wire.close() }
        let (shared, one, two) = (try session(.shared), try session(origin(port: 1)), try session(origin(port: 2)))
        #expect(Set([shared, one, two].map { ObjectIdentifier($0) }).count == 3)
        #expect(try session(.shared) === shared)
        #expect(try session(origin(port: 1)) === one)
    }

    @Test func aClosedTransportHasNone() throws {
        _ = try session(.shared)
        wire.close()
        #expect(wire.queue.sync { wire.openSession(for: .shared) } == nil)
    }

    /// Each session counts its tasks from 1.
    @Test func tasksOfTwoSessionsAreNotConfused() throws {
        defer { wire.close() }
        let url = try #require(URL(string: "https://sample.test/"))
        let tasks = [try session(.shared), try session(.malformedHost)].map { $0.dataTask(with: URLRequest(url: url)) }
        let exchanges = tasks.map { _ in exchange("https://sample.test/") }
        #expect(tasks[0].taskIdentifier == tasks[1].taskIdentifier)
        wire.queue.sync {
            for (exchange, task) in zip(exchanges, tasks) { wire.register(exchange, task) }
            #expect(wire.exchange(of: tasks[0]) === exchanges[0])
            #expect(wire.exchange(of: tasks[1]) === exchanges[1])
            wire.unregister(exchanges[0], tasks[0])
            #expect(wire.exchange(of: tasks[0]) == nil)
            #expect(wire.exchange(of: tasks[1]) === exchanges[1])
            wire.unregister(exchanges[1], tasks[1])
        }
    }

    @Test func theLeastRecentlyUsedSessionIsReplaced() throws {
        defer { wire.close() }
        let (shared, one) = (try session(.shared), try session(origin(port: 1)))
        for port in 2..<URLSessionWire.mostSessions { _ = try session(origin(port: port)) }
        #expect(try session(.shared) === shared)
        _ = try session(.malformedHost)
        #expect(try session(.shared) === shared)
        #expect(try session(origin(port: 1)) !== one)
    }

    @Test func aReplacedSessionFinishesItsExchanges() async throws {
        defer { wire.close() }
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "late")
        }
        let sink = EndSink()
        wire.start(exchange(server.url.absoluteString, sink))
        try await server.waitUntil { $0.requestCount == 1 }
        for port in 1...URLSessionWire.mostSessions { _ = try session(origin(port: port)) }
        gate.open()
        await sink.waitForEnd()
        #expect(sink.ends.map { $0.failure == nil } == [true])
    }

    @Test func closingEndsTheExchangesOfAReplacedSession() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let sink = EndSink()
        wire.start(exchange(server.url.absoluteString, sink))
        try await server.waitUntil { $0.requestCount == 1 }
        for port in 1...URLSessionWire.mostSessions { _ = try session(origin(port: port)) }
        wire.close()
        await sink.waitForEnd()
        #expect(sink.ends.map(\.failure?.kind) == [.cancelled])
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }
}
