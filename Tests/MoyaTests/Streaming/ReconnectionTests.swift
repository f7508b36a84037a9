import Foundation
import MoyaSession
import MoyaTesting
import MoyaTransport
import Testing

@testable import Moya

@Suite struct ReconnectionTests {
    private static let type: LoopbackFields = ["Content-Type": "text/event-stream"]
    private let policy = Reconnection(attempts: 3, backoff: .none)

    /// A server that answers each connection with the next body and breaks off, and at last with 204.
    private func server(_ bodies: [String]) async throws -> LoopbackServer {
        let count = Lock(0)
        return try await LoopbackServer { exchange in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            guard number < bodies.count else { return try await exchange.respond(204) }
            try await exchange.send(head: 200, Self.type)
            try await exchange.send(bodies[number])
            exchange.close()
        }
    }

    private func events(
        of target: AnyTarget, _ policy: Reconnection?, _ provider: MoyaProvider<AnyTarget> = MoyaProvider(),
        resumingAt cursor: (@Sendable (ServerSentEvent) -> AnyTarget?)? = nil
    ) async -> (data: [String], error: MoyaError?) {
        var data: [String] = []
        do throws(MoyaError) {
            for try await event in provider.events(of: target, reconnecting: policy, resumingAt: cursor) {
                data.append(event.data)
            }
            return (data, nil)
        } catch {
            return (data, error)
        }
    }

    // MARK: Where it is faithful

    @Test func sendsTheLastIdOfThisStream() async throws {
        let server = try await server(["id: 7\ndata: a\n\nid: 8\ndata: cut", "data: b\n\nid: 9\n\n", "data: c\n\n"])
        #expect(await events(of: AnyTarget(baseURL: server.url), policy).data == ["a", "b", "c"])
        #expect(server.requests.map { $0.fields["Last-Event-ID"] } == [nil, "7", "9", "9"])
    }

    @Test func neverReconnectsByDefault() async throws {
        let server = try await server(["id: 1\ndata: a\n\n", "data: b\n\n"])
        #expect(await events(of: AnyTarget(baseURL: server.url), nil).data == ["a"])
        #expect(server.requestCount == 1)
    }

    @Test func neverConnectsAgainWhenAnEventWithoutIdWasDelivered() async throws {
        let server = try await server(["data: a\n\n", "data: b\n\n"])
        #expect(await events(of: AnyTarget(baseURL: server.url), policy).data == ["a"])
        #expect(server.requestCount == 1)
    }

    @Test func connectsAgainWhenNothingWasDelivered() async throws {
        let server = try await server([": hello\n\n", "data: a\n\n"])
        #expect(await events(of: AnyTarget(baseURL: server.url), policy).data == ["a"])
        #expect(server.requestCount == 2)
    }

    @Test func neverSendsAPOSTWithoutIdTwice() async throws {
        let server = try await server([": hello\n\n", "data: a\n\n"])
        #expect(await events(of: AnyTarget(baseURL: server.url, method: .post), policy).data == [])
        #expect(server.requestCount == 1)
    }

    @Test func resumesAPOSTWithAnId() async throws {
        let server = try await server(["id: 1\ndata: a\n\n", "data: b\n\n"])
        #expect(await events(of: AnyTarget(baseURL: server.url, method: .post), policy).data == ["a", "b"])
    }

    @Test func resumesAtTheCursor() async throws {
        let server = try await server(["data: a\n\n", "data: b\n\n"])
        let url = server.url
        let data = await events(of: AnyTarget(baseURL: url), policy) {
            AnyTarget(baseURL: url, path: "after-\($0.data)")
        }.data
        #expect(data == ["a", "b"])
        #expect(server.requests.map(\.path) == ["/", "/after-a", "/after-b"])
    }

    @Test func resumesAtTheCursorAfterAnIdThatNoFieldCanCarry() async throws {
        let server = try await server(["id: 1\u{1}\ndata: a\n\n", "data: b\n\n"])
        let url = server.url
        let (data, error) = await events(of: AnyTarget(baseURL: url), policy) {
            AnyTarget(baseURL: url, path: "after-\($0.data)")
        }
        #expect(data == ["a", "b"])
        #expect(error == nil)
        #expect(server.requests.map { $0.fields["Last-Event-ID"] } == [nil, nil, nil])
    }

    // MARK: Ends

    @Test func endsAfterTheMaximumOfConnectionsWithoutAnEvent() async throws {
        let server = try await server(["id: 1\ndata: a\n\n"] + [String](repeating: ":\n", count: 100))
        let (data, error) = await events(of: AnyTarget(baseURL: server.url), policy)
        #expect(data == ["a"])
        #expect(error == nil)
        #expect(server.requestCount == 4)
    }

    @Test func aStatusThatDoesNotPassEndsIt() async throws {
        let count = Lock(0)
        let server = try await LoopbackServer { exchange in
            guard
                count.withLock({
                    $0 += 1; return $0
                }) > 1
            else {
                return try await exchange.respond(200, Self.type, body: "id: 1\ndata: a\n\n")
            }
            try await exchange.respond(403, body: "no")
        }
        let (data, error) = await events(of: AnyTarget(baseURL: server.url), policy)
        #expect(data == ["a"])
        #expect(error?.response?.statusCode == 403)
        #expect(server.requestCount == 2)
    }

    @Test func aStatusThatPassesIsTriedAgainUpToTheBound() async throws {
        let server = try await LoopbackServer { try await $0.respond(503) }
        let (_, error) = await events(of: AnyTarget(baseURL: server.url), policy)
        #expect(error?.response?.statusCode == 503)
        #expect(server.requestCount == 4)
    }

    @Test func middlewareAppliesToEachConnection() async throws {
        let server = try await server(["id: 1\ndata: a\n\n", "data: b\n\n"])
        let log = Recorder<String>()
        let provider = MoyaProvider<AnyTarget>(middleware: [ClosureMiddleware.recording("m", in: log)])
        #expect(await events(of: AnyTarget(baseURL: server.url), policy, provider).data == ["a", "b"])
        #expect(log.count == 6)
    }

    // MARK: Waits

    @Test func waitsForTheServersRetryTime() async throws {
        let server = try await server(["retry: 5000\nid: 1\ndata: a\n\n", "data: b\n\n"])
        let clock = TestClock()
        let provider = MoyaProvider<AnyTarget>(middleware: [], clock: clock)
        let task = _Concurrency.Task { [policy] in
            await events(of: AnyTarget(baseURL: server.url), policy, provider).data
        }
        for _ in 0..<2 {
            try await clock.waitForSleepers(1)
            #expect(clock.untilNextSleeper == .seconds(5))
            clock.advance(by: .seconds(5))
        }
        #expect(await task.value == ["a", "b"])
    }

    @Test func waitsGrowUntilAConnectionIsHealthy() {
        let policy = Reconnection(
            backoff: .exponential(base: .seconds(1), maximum: .seconds(5), jitter: .none))
        #expect((1...4).map { policy.wait(before: $0, retry: nil) } == [1, 2, 4, 5].map { .seconds($0) })
        #expect(policy.wait(before: 1, retry: 2000) == .seconds(3))
        #expect(policy.wait(before: 1, retry: .max) == .seconds(3601))
    }

    /// The sleeps of a stream whose connections have this course, and of its waits between four of them.
    ///
    /// - Parameter deliversEvents: `true` if each connection delivers an event: the reader has then seen it open.
    private func sleeps(
        _ course: ScriptedTransport.Answer, _ count: Int = 7, deliversEvents: Bool = false
    ) async throws -> [Duration?] {
        let clock = TestClock()
        let provider = MoyaProvider<AnyTarget>(
            session: Session(transport: ScriptedTransport(course, clock: clock)), middleware: [], clock: clock)
        let policy = Reconnection(
            attempts: 3, backoff: .exponential(base: .seconds(1), maximum: .seconds(30), jitter: .none),
            healthyTime: .seconds(10))
        let received = Watched(0)
        let task = _Concurrency.Task {
            let target = AnyTarget(baseURL: URL(string: "http://a.test")!)
            for try await _ in provider.events(of: target, reconnecting: policy) { received.update { $0 += 1 } }
        }
        // Each event permits further connections.
        defer { task.cancel() }
        var sleeps: [Duration?] = []
        for number in 0..<count {
            if deliversEvents { _ = try await received.when { $0 > number / 2 } }
            try await clock.waitForSleepers(1)
            sleeps.append(clock.untilNextSleeper)
            clock.advanceToNextSleeper()
        }
        return sleeps
    }

    @Test func aServersRetryAfterIsWaitedFor() async throws {
        let sleeps = try await sleeps(.response(503, ["Retry-After": "100"]), 2)
        #expect(sleeps == [.seconds(100), .seconds(100)])
    }

    @Test func aConnectionThatLastsResetsTheWait() async throws {
        let sleeps = try await sleeps(
            .steps(.head(200, Self.type), .chunk("id: 1\ndata: a\n\n"), .delay(.seconds(20))), deliversEvents: true)
        #expect(sleeps == [20, 1, 20, 1, 20, 1, 20].map { .seconds($0) })
    }

    @Test func aCallThatFailsSlowlyDoesNotResetTheWait() async throws {
        let sleeps = try await sleeps(.failure(.reset).delayed(by: .seconds(20)))
        #expect(sleeps == [20, 1, 20, 2, 20, 4, 20].map { .seconds($0) })
    }

    @Test func aConnectionThatOpensSlowlyDoesNotResetTheWait() async throws {
        let sleeps = try await sleeps(.response(200, Self.type).delayed(by: .seconds(20)))
        #expect(sleeps == [20, 1, 20, 2, 20, 4, 20].map { .seconds($0) })
    }

    @Test func cancellingAWaitEndsTheStream() async throws {
        let server = try await server(["retry: 5000\nid: 1\ndata: a\n\n"])
        let clock = TestClock()
        let provider = MoyaProvider<AnyTarget>(middleware: [], clock: clock)
        let task = _Concurrency.Task { [policy] in
            await events(of: AnyTarget(baseURL: server.url), policy, provider)
        }
        try await clock.waitForSleepers(1)
        task.cancel()
        let (data, error) = await task.value
        #expect(data == ["a"])
        #expect(error?.isCancellation == true)
        #expect(server.requestCount == 1)
    }

    // MARK: Nothing lost, nothing doubled

    @Test(arguments: [1, 2]) func deliversEachEventOnceOverAHundredCuts(seed: UInt64) async throws {
        let count = 10_000
        let cuts = Lock((left: 100, random: SeededGenerator(seed: seed)))
        let server = try await LoopbackServer { exchange in
            let last = Int(exchange.request.fields["Last-Event-ID"] ?? "") ?? 0
            guard last < count else { return try await exchange.respond(204) }
            let text = (last + 1...count).map { "id: \($0)\r\ndata: event \($0)\r\n\r\n" }.joined()
            var bytes = Array(text.utf8)
            let isReset = cuts.withLock { cuts in
                guard cuts.left > 0 else { return false }
                cuts.left -= 1
                bytes = Array(bytes.prefix(.random(in: 0...5000, using: &cuts.random)))
                return Bool.random(using: &cuts.random)
            }
            try await exchange.send(head: 200, Self.type)
            try await exchange.send(bytes)
            if isReset { exchange.reset() } else { exchange.close() }
        }
        let policy = Reconnection(attempts: 100, backoff: .none)
        let (data, error) = await events(of: AnyTarget(baseURL: server.url), policy)
        #expect(error == nil)
        #expect(data == (1...count).map { "event \($0)" })
        #expect(server.requestCount > 100)
    }
}
