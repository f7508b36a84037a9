#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// The exchanges that are released, and the order in which the waiting ones follow.
@Suite struct OriginQueueTests {
    private let multi = CurlMulti(
        settings: CurlSettings(TransportConfiguration()), connectionsPerHost: 6, loop: CurlLoop(name: "never started"))

    private func exchange(_ url: String, _ timeouts: Timeouts = Timeouts()) -> CurlExchange {
        CurlExchange(
            request: HTTPRequest(method: "GET", url: url, timeouts: timeouts), sink: ListeningSink(),
            multi: multi)
    }

    @Test func releasesAsManyExchangesAsConnectionsAllowed() {
        let queues = OriginQueues(connectionsPerHost: 2, httpVersions: .http1Only)
        let exchanges = (0..<4).map { exchange("http://one.test/\($0)") }
        #expect(exchanges.map { queues.admit($0) } == [true, true, false, false])
        #expect(queues.waitingCount == 2)
    }

    @Test func waitingExchangesStartInOrder() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http1Only)
        let exchanges = (0..<4).map { exchange("http://one.test/\($0)") }
        for exchange in exchanges { _ = queues.admit(exchange) }
        let queue = try #require(exchanges[0].queue)
        var order: [String] = []
        for _ in 0..<3 {
            queues.release(queue)
            order.append(try #require(queues.next(in: queue)).request.url)
        }
        #expect(order == ["http://one.test/1", "http://one.test/2", "http://one.test/3"])
    }

    @Test func exchangeWaitsForRoom() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http1Only)
        let exchanges = (0..<2).map { exchange("http://one.test/\($0)") }
        for exchange in exchanges { _ = queues.admit(exchange) }
        #expect(queues.next(in: try #require(exchanges[0].queue)) == nil)
    }

    @Test(arguments: [0, 1, 2])
    func withdrawingLeavesTheOthersTheirOrder(_ withdrawn: Int) throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http1Only)
        let first = exchange("http://one.test/")
        _ = queues.admit(first)
        var waiting = (0..<3).map { exchange("http://one.test/\($0)") }
        for exchange in waiting { _ = queues.admit(exchange) }
        queues.withdraw(waiting.remove(at: withdrawn))
        #expect(queues.waiting().map { $0.request.url } == waiting.map { $0.request.url })
        #expect(queues.waitingCount == 2)
    }

    @Test func queueAcceptsMoreAfterItsLastExchangeWasWithdrawn() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http1Only)
        let exchanges = (0..<3).map { exchange("http://one.test/\($0)") }
        for exchange in exchanges.prefix(2) { _ = queues.admit(exchange) }
        queues.withdraw(exchanges[1])
        _ = queues.admit(exchanges[2])
        #expect(queues.waiting().map { $0.request.url } == ["http://one.test/2"])
    }

    @Test(arguments: [
        ("http://one.test/a", "http://two.test/a"), ("http://one.test/", "https://one.test/"),
        ("http://one.test/", "http://one.test:8080/"), ("http://one.test/", "http://one.test.example/"),
    ])
    func originsHaveSeparateQueues(_ one: String, _ other: String) {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http1Only)
        #expect(queues.admit(exchange(one)))
        #expect(queues.admit(exchange(other)))
    }

    @Test(arguments: ["http://one.test", "http://one.test?a=/b", "http://one.test/a/b", "http://one.test/?a"])
    func originEndsWithTheAuthority(_ url: String) {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http1Only)
        #expect(queues.admit(exchange("http://one.test/")))
        #expect(!queues.admit(exchange(url)))
    }

    @Test func possibleStreamWaitsOnlyForTheFirstConnection() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered)
        let exchanges = (0..<4).map { exchange("https://one.test/\($0)") }
        #expect(exchanges[..<3].map { queues.admit($0) } == [true, false, false])
        let queue = try #require(exchanges[0].queue)
        #expect(queue.recordConnection())
        for _ in 0..<2 { #expect(queues.next(in: queue) != nil) }
        #expect(queues.admit(exchanges[3]))
    }

    @Test func exchangesWaitForTheFirstConnectionAlsoWhereEachThenNeedsItsOwn() throws {
        let queues = OriginQueues(connectionsPerHost: 2, httpVersions: .http2WhereOffered)
        let exchanges = (0..<3).map { exchange("https://one.test/\($0)") }
        #expect(exchanges.map { queues.admit($0) } == [true, false, false])
        let queue = try #require(exchanges[0].queue)
        #expect(queue.recordConnection())
        _ = queue.record(hasStreams: false)
        #expect(queues.next(in: queue) != nil)
        #expect(queues.next(in: queue) == nil)
    }

    @Test func possibleStreamOfItsOwnConnectionDoesNotWait() {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered, isShared: false)
        let exchanges = (0..<3).map { exchange("https://one.test/\($0)") }
        #expect(exchanges.allSatisfy { queues.admit($0) })
    }

    @Test func exchangesDoNotWaitForEachOtherOnceTheFirstCouldNotConnect() throws {
        let queues = OriginQueues(connectionsPerHost: 2, httpVersions: .http2WhereOffered)
        let exchanges = (0..<5).map { exchange("https://one.test/\($0)") }
        for exchange in exchanges { _ = queues.admit(exchange) }
        let queue = try #require(exchanges[0].queue)
        queue.recordFailure()
        queues.release(queue)
        #expect(queues.next(in: queue) != nil)
        #expect(queues.next(in: queue) != nil)
        #expect(queues.next(in: queue) == nil)
    }

    /// A handshake may hang until its limit.
    @Test func oneMoreExchangeTriesToConnectEveryTwoSeconds() throws {
        let second: UInt64 = 1_000_000_000
        let queues = OriginQueues(connectionsPerHost: 4, httpVersions: .http2WhereOffered)
        let exchanges = (0..<5).map { exchange("https://one.test/\($0)") }
        for exchange in exchanges { _ = queues.admit(exchange, at: second) }
        let queue = try #require(exchanges[0].queue)
        #expect(queue.waitsForStreams)
        #expect(exchanges[1].nextCheckInQueue == 3 * second)
        #expect(queues.next(in: queue, at: 3 * second - 1) == nil)
        #expect(queues.next(in: queue, at: 3 * second) === exchanges[1])
        #expect(!queue.waitsForStreams)
        #expect(queues.next(in: queue, at: 5 * second - 1) == nil)
        #expect(queues.next(in: queue, at: 5 * second) === exchanges[2])
        _ = queue.recordConnection()
        #expect(queues.next(in: queue, at: 5 * second) === exchanges[3])
    }

    @Test func aNewConnectionIsAwaitedWhenNoExchangeIsLeft() throws {
        let queues = OriginQueues(connectionsPerHost: 2, httpVersions: .http2WhereOffered)
        let exchanges = (0..<3).map { exchange("https://one.test/\($0)") }
        _ = queues.admit(exchanges[0])
        let queue = try #require(exchanges[0].queue)
        _ = queue.recordConnection()
        queues.release(queue)
        #expect(exchanges[1...].map { queues.admit($0) } == [true, false])
    }

    @Test func theLimitOfConnectingCountsTheWaitForAnotherToConnect() throws {
        let queues = OriginQueues(connectionsPerHost: 2, httpVersions: .http2WhereOffered)
        let exchanges = (0..<2).map { exchange("https://one.test/\($0)", .init(connect: 1)) }
        for exchange in exchanges {
            exchange.arrive(at: 5)
            _ = queues.admit(exchange, at: 5)
        }
        #expect(exchanges[1].failureInQueue(at: 1_000_000_004) == nil)
        #expect(exchanges[1].failureInQueue(at: 1_000_000_005)?.kind == .timeout(.connect))
        _ = try #require(exchanges[0].queue).recordConnection()
        #expect(exchanges[1].failureInQueue(at: 1_000_000_005) == nil)
    }

    @Test func withoutTLSThereAreNoStreams() {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered)
        #expect(queues.admit(exchange("http://one.test/")))
        #expect(!queues.admit(exchange("http://one.test/")))
    }

    @Test func onceAServerHasNoStreamsItsRequestsWait() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered)
        let exchanges = (0..<2).map { exchange("https://one.test/\($0)") }
        _ = queues.admit(exchanges[0])
        _ = try #require(exchanges[0].queue).record(hasStreams: false)
        #expect(!queues.admit(exchanges[1]))
    }

    /// One request may have chosen HTTP/1.1 itself, and its response says nothing about the others.
    @Test func aServerThatHasSupportedStreamsKeepsThem() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered)
        let exchanges = (0..<3).map { exchange("https://one.test/\($0)") }
        _ = queues.admit(exchanges[0])
        let queue = try #require(exchanges[0].queue)
        _ = queue.recordConnection()
        _ = queue.record(hasStreams: true)
        _ = queue.record(hasStreams: false)
        #expect(queues.admit(exchanges[1]))
        #expect(queues.admit(exchanges[2]))
    }

    @Test func streamsFoundLateOpenTheQueue() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered)
        let exchanges = (0..<4).map { exchange("https://one.test/\($0)") }
        _ = queues.admit(exchanges[0])
        let queue = try #require(exchanges[0].queue)
        _ = queue.recordConnection()
        #expect(!queue.record(hasStreams: false))
        for exchange in exchanges[1...] { _ = queues.admit(exchange) }
        #expect(queue.record(hasStreams: true))
        var order: [String] = []
        while let next = queues.next(in: queue) { order.append(next.request.url) }
        #expect(order == exchanges[1...].map { $0.request.url })
    }

    @Test func newExchangeDoesNotOvertakeWaitingOnes() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered)
        let exchanges = (0..<3).map { exchange("https://one.test/\($0)") }
        _ = queues.admit(exchanges[0])
        let queue = try #require(exchanges[0].queue)
        _ = queue.record(hasStreams: false)
        _ = queues.admit(exchanges[1])
        _ = queue.record(hasStreams: true)
        #expect(!queues.admit(exchanges[2]))
        #expect(queues.waiting().map { $0.request.url } == ["https://one.test/1", "https://one.test/2"])
    }

    @Test func forgetsEmptyQueuesBeyondALimit() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http1Only)
        for number in 0..<5_000 {
            let exchange = exchange("http://host-\(number).test/")
            #expect(queues.admit(exchange))
            queues.release(try #require(exchange.queue))
        }
        #expect(queues.count <= 1_100)
    }

    @Test func lookingUpAnOriginMakesNoQueue() {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered)
        for number in 0..<5_000 {
            #expect(queues.mayHaveStreams(at: "https://host-\(number).test/"))
            #expect(queues.lastAnswer(from: "https://host-\(number).test/") == nil)
        }
        #expect(!queues.mayHaveStreams(at: "http://host.test/"))
        #expect(queues.count == 0)
    }

    @Test func lookingUpAnOriginFindsItsQueue() throws {
        let queues = OriginQueues(connectionsPerHost: 1, httpVersions: .http2WhereOffered)
        let exchanges = [exchange("https://one.test/"), exchange("https://two.test/")]
        for exchange in exchanges { _ = queues.admit(exchange) }
        let queue = try #require(exchanges[0].queue)
        _ = queue.record(hasStreams: false)
        queue.lastAnswer = 5
        #expect(!queues.mayHaveStreams(at: "https://one.test/a"))
        #expect(queues.lastAnswer(from: "https://one.test?a") == 5)
        #expect(queues.mayHaveStreams(at: "https://two.test/"))
    }
}

/// The same at a server with one connection, or two.
@Suite(.timeLimit(.minutes(3))) struct WaitingForAConnectionTests {
    private static func held(by gate: Gate) async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: exchange.request.path)
        }
    }

    @Test func requestsAreSentInTheOrderInWhichTheyWereStarted() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let ended = Lock<[String]>([])
        let running = (0..<50).map { number in
            transport.begin(
                server.request("GET", "/\(number)"),
                sink: ListeningSink { recording in
                    if !recording.ends.isEmpty { ended.withLock { $0.append(recording.text) } }
                    return .more
                })
        }
        for one in running { _ = try await one.sink.waitForEnd() }
        // The tick of the last delivery is over then.
        try await transport.settle()
        #expect(ended.withLock { $0 } == (0..<50).map { "/\($0)" })
    }

    @Test func exchangeThatCannotBeSentDoesNotBlockTheNext() async throws {
        let gate = Gate()
        let server = try await Self.held(by: gate)
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let first = transport.begin(server.request("GET", "/first"))
        try await gate.waitForArrivals(1)
        let broken = (0..<10).map { _ in transport.begin(server.request("GE T")) }
        let last = transport.begin(server.request("GET", "/last"))
        gate.open(times: 2)
        for one in broken { #expect(try await one.sink.waitForEnd().failure != nil) }
        #expect(try await first.sink.waitForEnd().text == "/first")
        #expect(try await last.sink.waitForEnd().text == "/last")
    }

    @Test func exchangePausedInTheQueueIsNotReadBeforeItResumes() async throws {
        let gate = Gate()
        let server = try await Self.held(by: gate)
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let first = transport.begin(server.request("GET", "/first"))
        try await gate.waitForArrivals(1)
        let paused = transport.begin(server.request("GET", "/paused"))
        paused.handle.pause()
        gate.open(times: 2)
        _ = try await first.sink.waitForEnd()
        try await gate.waitForArrivals(2)
        try await server.waitUntil { $0.requestCount == 2 }
        // Another exchange, begun and answered later, is the clock.
        let clock = try await LoopbackServer { try await $0.respond(body: "x") }
        #expect(try await CurlTransport.separate().run(clock.request()).text == "x")
        #expect(paused.sink.heard.body.isEmpty)
        paused.handle.resume()
        #expect(try await paused.sink.waitForEnd().text == "/paused")
    }

    @Test func exchangeResumedInTheQueueIsReadAsItComes() async throws {
        let gate = Gate()
        let server = try await Self.held(by: gate)
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let first = transport.begin(server.request("GET", "/first"))
        try await gate.waitForArrivals(1)
        let second = transport.begin(server.request("GET", "/second"))
        second.handle.pause()
        second.handle.resume()
        gate.open(times: 2)
        _ = try await first.sink.waitForEnd()
        #expect(try await second.sink.waitForEnd().text == "/second")
    }

    @Test func exchangeThatWaitedTooLongEndsUnsent() async throws {
        let gate = Gate()
        let server = try await Self.held(by: gate)
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        // The loop waits here until it has all of them, so that they are overdue at the same time.
        let (holds, isHeld) = AsyncStream<Void>.makeStream()
        let allAreBegun = DispatchSemaphore(value: 0)
        let holding = ListeningSink { _ in
            isHeld.yield()
            allAreBegun.wait()
            return .more
        }
        _ = transport.begin(HTTPRequest(method: "GET", url: "gopher://127.0.0.1/"), sink: holding)
        for await _ in holds { break }
        let bound = Timeouts(total: 0.2)
        let overdue = (0..<5).map { _ in transport.begin(server.request("GET", "/overdue", timeouts: bound)) }
        allAreBegun.signal()
        for one in overdue { #expect(try await one.sink.waitForEnd().kind == .timeout(.total)) }
        #expect(server.connectionCount <= 1)
        gate.open()
    }

    @Test func overdueExchangeReportsItsWait() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let first = transport.begin(server.request())
        try await server.waitUntil { $0.requestCount == 1 }
        let request = server.request(timeouts: .init(total: 0.1), collectsMetrics: true)
        let metrics = try #require(try await transport.run(request).ends.first?.metrics)
        #expect(metrics.total >= 0.1)
        #expect(metrics.firstByte == 0)
        first.handle.cancel()
    }

    @Test func releasingATransportEndsWaitingExchanges() async throws {
        let gate = Gate()
        let server = try await Self.held(by: gate)
        let box = TransportBox(CurlTransport.separate(.init(maximumConnectionsPerHost: 1)))
        let sinks = (0..<5).map { _ in ListeningSink() }
        for sink in sinks { _ = box.start(server.request(), sink) }
        try await gate.waitForArrivals(1)
        box.drop()
        for sink in sinks { #expect(try await sink.waitForEnd().kind == .cancelled) }
        #expect(server.requestCount == 1)
        gate.open()
    }

    @Test func metricsIncludeTheTimeInTheQueue() async throws {
        let gate = Gate()
        let server = try await Self.held(by: gate)
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 1))
        let first = transport.begin(server.request("GET", "/first", collectsMetrics: true))
        try await gate.waitForArrivals(1)
        let second = transport.begin(server.request("GET", "/second", collectsMetrics: true))
        try await transport.settle()
        let stalled = try await LoopbackServer { try await $0.stallUntilClosed() }
        _ = try await CurlTransport.separate().run(stalled.request(timeouts: .init(total: 0.2)))
        gate.open(times: 2)
        _ = try await first.sink.waitForEnd()
        let metrics = try #require(try await second.sink.waitForEnd().ends.first?.metrics)
        #expect(metrics.total >= 0.2)
        #expect(metrics.firstByte <= metrics.total)
    }
}
#endif
