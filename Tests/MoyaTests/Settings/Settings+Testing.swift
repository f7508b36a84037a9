import Foundation
import Moya
import MoyaTesting
import TransportConformance

extension Setting {
    static let testing: [Setting] = [
        Setting("TestClock.init#date") { (date: Date) in
            let clock = TestClock(date: date)
            clock.advance(by: .seconds(1))
            _ = clock.date
        },
        Setting("TestClock.advance#duration") { (duration: Duration) in
            let clock = TestClock()
            for _ in 0..<3 { clock.advance(by: duration) }
            _ = clock.date
            _ = clock.untilNextSleeper
        },
        Setting("TestClock.Instant.init#offset") { (offset: Duration) in await use(TestClock.Instant(offset: offset)) },
        Setting("TestClock.Instant.offset") { (offset: Duration) in
            var instant = TestClock.Instant(offset: .zero)
            instant.offset = offset
            await use(instant)
        },
        Setting("TestClock.Instant.advanced#duration") { (duration: Duration) in
            for offset in Duration.extremes { _ = TestClock.Instant(offset: offset).advanced(by: duration) }
        },
        Setting("TestClock.Instant.duration#other") { (offset: Duration) in
            for other in Duration.extremes {
                _ = TestClock.Instant(offset: offset).duration(to: TestClock.Instant(offset: other))
            }
        },
        Setting("TestClock.Instant.<#one") { (offset: Duration) in await use(TestClock.Instant(offset: offset)) },
        Setting("TestClock.Instant.<#other") { (offset: Duration) in await use(TestClock.Instant(offset: offset)) },
        Setting("TestClock.sleep#deadline") { (offset: Duration) in await use(TestClock.Instant(offset: offset)) },
        Setting("TestClock.sleep#tolerance") { (tolerance: Duration?) in
            let clock = TestClock()
            await finish(clock) {
                try? await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: tolerance)
            }
        },
        Setting("TestClock.waitForSleepers#count") { (count: Int) in
            let clock = TestClock()
            try await clock.waitForSleepers(count, within: .milliseconds(1))
        },
        Setting("TestClock.waitForSleepers#limit") { (limit: Duration) in
            await finish { try? await TestClock().waitForSleepers(1, within: limit) }
        },
        Setting("TestClock.waitForNoSleepers#limit") { (limit: Duration) in
            let clock = TestClock()
            let sleeper = _Concurrency.Task { try await clock.sleep(for: .seconds(1)) }
            let waiter = _Concurrency.Task { try await clock.waitForNoSleepers(within: limit) }
            try await _Concurrency.Task.sleep(for: .milliseconds(1))
            waiter.cancel()
            sleeper.cancel()
            _ = await waiter.result
        },
        Setting("Gate.open#times") { (times: Int) in
            let gate = Gate()
            for _ in 0..<3 { gate.open(times: times) }
            await finish { try? await gate.wait() }
        },
        Setting("Gate.waitForArrivals#count") { (count: Int) in
            try await Gate().waitForArrivals(count, within: .milliseconds(1))
        },
        Setting("Gate.waitForArrivals#limit") { (limit: Duration) in
            await finish { try? await Gate().waitForArrivals(1, within: limit) }
        },
        Setting("ScriptedTransport.Step.informational") { (status: Int) in
            await call(answers: .steps(.informational(status), .head()))
        },
        Setting("ScriptedTransport.Step.head") { (status: Int) in await call(answers: .steps(.head(status))) },
        Setting("ScriptedTransport.Step.delay") { (duration: Duration) in
            await call(answers: .steps(.delay(duration), .head()))
            await scripted(.steps(.delay(duration), .head()))
        },
        Setting("ScriptedTransport.Answer.response#status (2)") { (status: Int) in
            await call(answers: .response(status), .response(status, body: Data()))
        },
        Setting("ScriptedTransport.Answer.delayed#duration") { (duration: Duration) in
            await call(answers: .response(200).delayed(by: duration))
            await scripted(.response(200).delayed(by: duration))
        },
        Setting("ScriptedTransport.Answer.chunked#size") { (size: Int) in
            await call(answers: .response(200, body: "abc").chunked(by: size))
        },
        Setting("ScriptedTransport.waitUntil#limit") { (limit: Duration) in
            await finish { _ = try? await ScriptedTransport(.silence).waitUntil(within: limit) { _ in false } }
        },
        Setting("TransportConformance.report#concurrency") { (count: Int) in
            _ = await TransportConformance.report(on: "none", behaviors: [], concurrency: count) {
                ScriptedTransport(.silence)
            }
        },
        Setting("LoopbackServer.Configuration.init#socketBuffer") { (size: Int?) in
            await serve(.init(socketBuffer: size)) { try await $0.respond() }
        },
        Setting("LoopbackServer.Configuration.socketBuffer") { (size: Int?) in
            var configuration = LoopbackServer.Configuration()
            configuration.socketBuffer = size
            await serve(configuration) { try await $0.respond() }
        },
        Setting("LoopbackServer.waitUntil#limit") { (limit: Duration) in
            guard let server = try? await LoopbackServer(handler: { try await $0.respond() }) else { return }
            await finish { _ = try? await server.waitUntil(within: limit) { _ in false } }
        },
        Setting("LoopbackConnection.receive#count") { (count: Int) in
            await serve { exchange in
                _ = try await exchange.connection.receive(atMost: count)
                try await exchange.respond()
            }
        },
        Setting("LoopbackExchange.readBody#count (2)") { (count: Int) in
            await serve { exchange in
                _ = try await exchange.readBody(atMost: count)
                try await exchange.respond()
            }
            await serve { exchange in
                _ = try await exchange.readBody(exactly: count)
                try await exchange.respond()
            }
        },
        Setting("LoopbackExchange.send#status (2)") { (status: Int) in
            await serve { exchange in
                try await exchange.send(informational: status)
                try await exchange.send(head: status, ["Content-Length": "\(status)"])
                try await exchange.send("abc")
            }
        },
        Setting("LoopbackExchange.send#size") { (size: Int) in
            await serve { exchange in
                try await exchange.send(head: 200, ["Content-Length": "3"])
                try await exchange.send(Data("abc".utf8), inPiecesOf: size)
            }
        },
        Setting("LoopbackExchange.respond#status (2)") { (status: Int) in
            await serve { try await $0.respond(status) }
            await serve { try await $0.respond(status, body: Data("abc".utf8)) }
        },
        Setting("TestSupportError.system") { (code: Int32) in
            _ = TestSupportError.system(call: "c", code: code).description
        },
    ]

    private static func use(_ instant: TestClock.Instant) async {
        let clock = TestClock()
        _ = instant < clock.now
        await finish(clock) { try? await clock.sleep(until: instant) }
        _ = clock.now.duration(to: instant)
        _ = clock.date
    }

    /// Makes a transport use the real clock, whose instants are limited.
    private static func scripted(_ answer: ScriptedTransport.Answer) async {
        await request(Session(transport: ScriptedTransport(answer)))
    }

    private static func serve(
        _ configuration: LoopbackServer.Configuration = .init(), _ handler: @escaping LoopbackServer.Handler
    ) async {
        guard let server = try? await LoopbackServer(configuration, handler: handler) else { return }
        let session = Session(timeouts: Deadlines(total: .milliseconds(5)))
        await finish(session, session.upload(Data("abc".utf8), to: server.url))
        withExtendedLifetime(server) {}
    }
}
