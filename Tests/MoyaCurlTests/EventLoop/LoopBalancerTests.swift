#if os(Linux)
import Glibc
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// A transport over several loops.
@Suite(.timeLimit(.minutes(3))) struct LoopBalancerTests {
    private static func transport(loops: Int, connections: Int) -> CurlTransport {
        CurlTransport(
            configuration: TransportConfiguration(maximumConnectionsPerHost: connections, proxy: .none),
            loops: (0..<loops).map { CurlLoop(name: "test-\($0)") })
    }

    /// A sink that records the thread of every event.
    private static func sink(noting threads: Watched<Set<UInt>>) -> ListeningSink {
        ListeningSink { _ in
            threads.update { _ = $0.insert(pthread_self()) }
            return .more
        }
    }

    @Test func picksTheLoopWithTheFewestExchanges() {
        let balancer = LoopBalancer(connections: [2, 2, 2])
        let request = Self.request("a")
        #expect((0..<9).map { _ in balancer.take(request) } == [0, 1, 2, 0, 1, 2, 0, 1, 2])
        balancer.release(2, request)
        balancer.release(1, request)
        #expect((0..<3).map { _ in balancer.take(request) } == [1, 2, 0])
    }

    private static func request(_ host: String, isStreamed: Bool = false) -> HTTPRequest {
        var request = HTTPRequest(method: "GET", url: "http://\(host).example/path")
        request.isStreamed = isStreamed
        return request
    }

    @Test func picksALoopWithAConnectionLeftForTheOrigin() {
        let balancer = LoopBalancer(connections: [1, 1])
        #expect(balancer.take(Self.request("a")) == 0)
        #expect(balancer.take(Self.request("b")) == 1)
        #expect(balancer.take(Self.request("b")) == 0)
        #expect(balancer.take(Self.request("a")) == 1)
    }

    @Test func picksALoopWhoseConnectionsHaveNoStreams() {
        let balancer = LoopBalancer(connections: [2, 1, 1])
        let stream = Self.request("a", isStreamed: true)
        #expect((0..<3).map { _ in balancer.take(stream) } == [0, 1, 2])
        #expect((0..<3).map { _ in balancer.take(Self.request("a")) } == [0, 0, 0])
        balancer.release(1, stream)
        #expect(balancer.take(Self.request("a")) == 1)
    }

    @Test func concurrentExchangesRunOnDifferentThreads() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "x")
        }
        let transport = Self.transport(loops: 2, connections: 6)
        let threads = Watched<Set<UInt>>([])
        let running = (0..<2).map { _ in transport.begin(server.request(), sink: Self.sink(noting: threads)) }
        try await gate.waitForArrivals(2)
        gate.open()
        for one in running { #expect(try await one.sink.waitForEnd().text == "x") }
        #expect(threads.value.count == 2)
    }

    @Test func successiveExchangesUseOneConnection() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "x") }
        let transport = Self.transport(loops: 2, connections: 6)
        for _ in 0..<3 { #expect(try await transport.run(server.request()).text == "x") }
        #expect(server.connectionCount == 1)
    }

    @Test func cancelledExchangeMakesRoomOnItsLoop() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/held" { try await gate.wait() }
            try await exchange.respond(body: "x")
        }
        let transport = Self.transport(loops: 2, connections: 6)
        let (first, second) = (Watched<Set<UInt>>([]), Watched<Set<UInt>>([]))
        _ = try await transport.run(server.request(), sink: Self.sink(noting: first))
        let held = transport.begin(server.request("GET", "/held"))
        try await gate.waitForArrivals(1)
        held.handle.cancel()
        _ = try await held.sink.waitForEnd()
        _ = try await transport.run(server.request(), sink: Self.sink(noting: second))
        #expect(first.value == second.value)
    }

    @Test(arguments: [(2, 3), (4, 2), (3, 1)])
    func loopsShareTheConnectionsToAHost(loops: Int, connections: Int) async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "x")
        }
        let transport = Self.transport(loops: loops, connections: connections)
        let running = (0..<12).map { _ in transport.begin(server.request()) }
        try await gate.waitForArrivals(connections)
        // One for each loop, at once: each has then seen all that was started before.
        let settling = (0..<loops).map { _ in transport.begin(HTTPRequest(method: "GET", url: "gopher://127.0.0.1/")) }
        for one in settling { _ = try await one.sink.waitForEnd() }
        #expect(gate.arrivals == connections)
        gate.open()
        for one in running { #expect(try await one.sink.waitForEnd().text == "x") }
        #expect(server.connectionCount == connections)
    }

    /// The stream occupies the only connection of its loop, and may never end.
    @Test func noExchangeWaitsForAStreamWhileAnotherLoopHasConnections() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/stream" {
                try await exchange.send(head: 200, ["Content-Length": "9"])
                return try await exchange.stallUntilClosed()
            }
            try await gate.wait()
            try await exchange.respond(body: "x")
        }
        let transport = Self.transport(loops: 2, connections: 2)
        var stream = server.request("GET", "/stream")
        stream.isStreamed = true
        let open = transport.begin(stream)
        try await open.sink.waitUntil { $0.head != nil }
        let running = (0..<3).map { _ in transport.begin(server.request()) }
        try await gate.waitForArrivals(1)
        gate.open()
        for one in running { #expect(try await one.sink.waitForEnd().text == "x") }
        open.handle.cancel()
    }

    @Test func droppedTransportEndsTheExchangesOfEveryLoop() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond()
        }
        var transport: CurlTransport? = Self.transport(loops: 2, connections: 6)
        let sinks = (0..<4).map { _ in ListeningSink() }
        for sink in sinks { _ = transport?.start(server.request(), delivering: sink) }
        try await gate.waitForArrivals(4)
        transport = nil
        for sink in sinks { #expect(try await sink.waitForEnd().failure?.kind == .cancelled) }
    }

    @Test(arguments: [(Int.min, 1), (0, 1), (1, 1), (3, 3), (Int.max, 64)])
    func numberOfThreadsIsBounded(asked: Int, given: Int) {
        let loops = CurlLoop.shared(count: asked)
        #expect(loops.count == given)
        #expect(loops.first === CurlLoop.shared)
    }

    @Test func transportsUseTheSameThreads() {
        let (some, more) = (CurlLoop.shared(count: 2), CurlLoop.shared(count: 3))
        #expect(some[1] === more[1])
    }
}
#endif
