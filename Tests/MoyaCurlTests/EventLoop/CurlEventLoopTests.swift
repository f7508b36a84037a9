#if os(Linux)
import Foundation
import Glibc
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct CurlEventLoopTests {
    private let transport = CurlTransport.separate()

    private func server() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            try await exchange.discardBody()
            try await exchange.respond(body: "x")
        }
    }

    private func post(to server: LoopbackServer, _ body: TransportBody = .data(Data("body".utf8))) -> HTTPRequest {
        server.request("POST", body: body, reportsSentBytes: true)
    }

    /// Starts an exchange, and returns whether the same thread sent its body.
    private func isSentByItsCaller(_ request: HTTPRequest) async throws -> Bool {
        let senders = Lock<[pthread_t]>([])
        let sink = ListeningSink { recording in
            if recording.order.last == "sent" { senders.withLock { $0.append(pthread_self()) } }
            return .more
        }
        let caller = startNow(request, sink)
        #expect(try await sink.waitForEnd().failure == nil)
        let all = senders.withLock { $0 }
        #expect(!all.isEmpty)
        return all.first.map { pthread_equal($0, caller) != 0 } ?? false
    }

    /// No suspension lies between the start and the look at the thread.
    private func startNow(_ request: HTTPRequest, _ sink: ListeningSink) -> pthread_t {
        _ = transport.start(request, delivering: sink)
        return pthread_self()
    }

    // MARK: Who sends

    @Test func aSingleCallIsSentByItsStartingThread() async throws {
        let server = try await server()
        _ = try await transport.run(server.request())
        // The loop may be on its way to sleep still.
        #expect(try await holdsInOneOfTenTries { try await isSentByItsCaller(post(to: server)) })
    }

    @Test func theFirstCallToAServerIsLeftToTheLoop() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await gate.wait()
            try await exchange.respond(body: "x")
        }
        let running = Lock<CurlExchange?>(nil)
        let verdicts = Lock<[Bool]>([])
        // In a tick of the loop, without exchanges in flight.
        let sink = ListeningSink { recording in
            guard recording.order.last == "end", let ended = running.withLock({ $0 }) else { return .more }
            for url in [ended.request.url, "http://127.0.0.2:1/"] {
                let next = CurlExchange(
                    request: HTTPRequest(method: "GET", url: url), sink: ListeningSink(),
                    multi: ended.multi)
                let mayStart = ended.multi.mayStartQuickly(next)
                verdicts.withLock { $0.append(mayStart) }
            }
            return .more
        }
        let exchange = transport.start(server.request(), delivering: sink) as? CurlExchange
        running.withLock { $0 = exchange }
        gate.open()
        _ = try await sink.waitForEnd()
        // The tick of that delivery is over then.
        try await transport.settle()
        #expect(verdicts.withLock { $0 } == [true, false])
    }

    @Test func aCallBesideAnotherIsLeftToTheLoop() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.discardBody()
            if exchange.request.path == "/held" { try await gate.wait() }
            try await exchange.respond(body: "x")
        }
        _ = try await transport.run(server.request())
        let held = transport.begin(server.request("GET", "/held"))
        try await gate.waitForArrivals(1)
        for _ in 0..<10 { #expect(try await !isSentByItsCaller(post(to: server))) }
        gate.open()
        #expect(try await held.sink.waitForEnd().text == "x")
    }

    @Test func aBodyInAFileIsLeftToTheLoop() async throws {
        let server = try await server()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
        try Data("body".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await transport.run(server.request())
        for _ in 0..<10 { #expect(try await !isSentByItsCaller(post(to: server, .file(file, length: 4)))) }
    }

    @Test func aLargeBodyIsLeftToTheLoop() async throws {
        let server = try await server()
        _ = try await transport.run(server.request())
        for _ in 0..<10 {
            #expect(try await !isSentByItsCaller(post(to: server, .data(Data(count: 16 * 1024 + 1)))))
        }
    }

    // MARK: What follows

    @Test func aSingleCallEndsAtItsTimeout() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/stall" { try await exchange.stallUntilClosed() }
            try await exchange.respond(body: "x")
        }
        for _ in 0..<5 {
            _ = try await transport.run(server.request())
            let stalled = server.request("GET", "/stall", timeouts: Timeouts(total: 0.05))
            #expect(try await transport.run(stalled).kind == .timeout(.total))
        }
    }

    @Test func exchangeStartedByADeliveryRuns() async throws {
        let server = try await server()
        for _ in 0..<10 {
            _ = try await transport.run(server.request())
            let second = ListeningSink()
            let first = ListeningSink { [transport] recording in
                if recording.order == ["sent"] {
                    _ = transport.start(server.request("GET", "/second"), delivering: second)
                }
                return .more
            }
            _ = transport.start(post(to: server), delivering: first)
            #expect(try await first.waitForEnd().text == "x")
            #expect(try await second.waitForEnd().text == "x")
        }
    }

    @Test func callersOnManyThreadsReceiveTheirOwnAnswerOnce() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
        let transport = CurlTransport.separate(.init(maximumConnectionsPerHost: 8))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(task))
                    for number in 0..<100 {
                        let path = "/\(task)/\(number)"
                        let running = transport.begin(server.request("GET", path))
                        let isCancelled = Int.random(in: 0..<5, using: &random) == 0
                        if isCancelled { running.handle.cancel() }
                        let recording = try await running.sink.waitForEnd()
                        #expect(recording.text == path || isCancelled && recording.kind == .cancelled)
                        #expect(recording.ends.count == 1)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
#endif
