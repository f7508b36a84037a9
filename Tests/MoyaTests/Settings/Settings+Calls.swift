import Foundation
import Moya
import MoyaTesting

extension Setting {
    static let calls: [Setting] = [
        Setting("MiddlewareCall.wait#duration") { (duration: Duration) in
            await call([ClosureMiddleware.waiting(duration)])
            let clock = TestClock()
            clock.advance(by: .seconds(1))
            await call([ClosureMiddleware.waiting(duration)], deadlines: Deadlines(total: duration), clock: clock)
        },
        Setting("OfflineError.stillOffline") { (limit: Duration) in
            _ = [OfflineError.stillOffline(after: limit).localizedDescription]
        },
        Setting("WaitForConnectivity.init#limit") { (limit: Duration?) in
            await call([WaitForConnectivity(online: NeverOnline(), waitingAtMost: limit)])
        },
        Setting("MoyaMiddleware.waitForConnectivity#limit") { (limit: Duration?) in
            await call([.waitForConnectivity(NeverOnline(), atMost: limit)])
        },
        Setting("OnlineProvider.init#limit") { (limit: Duration?) in
            let clock = TestClock()
            let provider = OnlineProvider<API>(
                stubClosure: { _ in .immediate }, clock: clock, online: NeverOnline(), waitingAtMost: limit)
            await finish(clock) { _ = try? await provider.request(API()) }
        },
        Setting("MoyaProvider.request#deadline (2)") { (deadline: Duration) in
            for stub in [StubBehavior.never, .immediate, .delayed(seconds: 1e-6)] {
                let clock = TestClock()
                let provider = MoyaProvider<API>(
                    stubClosure: { _ in stub },
                    session: Session(transport: ScriptedTransport(.response(200, body: "{}"))),
                    middleware: [RetryMiddleware()], clock: clock)
                await finish(clock) {
                    _ = try? await provider.request(API(), deadline: deadline)
                    _ = try? await provider.request(API(), as: [String: String].self, deadline: deadline)
                }
            }
        },
        Setting("MoyaProvider.request#maximumResponseBytes (3)") { (bytes: Int?) in
            let provider = MoyaProvider<API>(
                session: Session(transport: ScriptedTransport(.response(200, body: "{}"))))
            await finish {
                _ = try? await provider.request(
                    API(), as: [String: String].self, maximumResponseBytes: bytes)
                guard let bytes else { return }
                _ = try? await provider.request(API(), maximumResponseBytes: bytes)
                await withCheckedContinuation { end in
                    provider.request(API(), maximumResponseBytes: bytes, callbackQueue: .global()) { _ in end.resume() }
                }
            }
        },
        Setting("TargetType.maximumResponseBytes") { (bytes: Int?) in
            let provider = MoyaProvider<API>(
                session: Session(transport: ScriptedTransport(.response(200, body: "{}"))))
            await finish { _ = try? await provider.request(API(maximumResponseBytes: bytes)) }
        },
        Setting("Deadlines.init#connect") { (bound: Duration?) in
            await use(Deadlines(connect: bound))
        },
        Setting("Deadlines.init#idle") { (bound: Duration?) in
            await use(Deadlines(idle: bound))
        },
        Setting("Deadlines.init#attempt") { (bound: Duration?) in
            await use(Deadlines(attempt: bound))
        },
        Setting("Deadlines.init#total") { (bound: Duration?) in
            await use(Deadlines(total: bound))
        },
        Setting("Deadlines.connect") { (bound: Duration?) in
            var timeouts = Deadlines()
            timeouts.connect = bound
            await wire(timeouts)
        },
        Setting("Deadlines.idle") { (bound: Duration?) in
            var timeouts = Deadlines()
            timeouts.idle = bound
            await wire(timeouts)
        },
        Setting("Deadlines.attempt") { (bound: Duration?) in
            var timeouts = Deadlines()
            timeouts.attempt = bound
            await wire(timeouts)
        },
        Setting("Deadlines.total") { (bound: Duration?) in
            var timeouts = Deadlines()
            timeouts.total = bound
            await wire(timeouts)
        },
        Setting("StubBehavior.delayed") { (seconds: TimeInterval) in await call(stub: .delayed(seconds: seconds)) },
        Setting("StubBehavior.Delayed#seconds") { (seconds: TimeInterval) in
            await call(stub: .delayed(seconds: seconds))
        },
        Setting("MoyaProvider.delayedStub#seconds") { (seconds: TimeInterval) in
            await call(stub: MoyaProvider<API>.delayedStub(seconds)(API()))
        },
        Setting("MoyaProvider.DelayedStub#seconds") { (seconds: TimeInterval) in
            await call(stub: MoyaProvider<API>.delayedStub(seconds)(API()))
        },
    ]

    /// Bounds a session, a provider, and a call.
    private static func use(_ timeouts: Deadlines) async {
        await call(deadlines: timeouts)
        await call([RetryMiddleware()], deadlines: timeouts, answers: .response(503))
        await call([ClosureMiddleware.waiting(.seconds(5))], deadlines: timeouts, stub: .immediate)
        let clock = TestClock()
        let session = Session(
            timeouts: timeouts, transport: ScriptedTransport(.response(200).delayed(by: .seconds(1)), clock: clock))
        await call(session: session, clock: clock)
        await request(session) { $0.timeouts(timeouts) }
    }

    /// Bounds exchanges with a server.
    private static func wire(_ timeouts: Deadlines) async {
        guard let server = try? await LoopbackServer(handler: { try await $0.respond(body: "{}") }) else { return }
        let session = Session(timeouts: timeouts)
        await finish(session, session.request(server.url))
        await finish(session, session.request(server.url)) { $0.timeouts(timeouts) }
        var api = API()
        api.baseURL = server.url
        let (target, provider) = (api, MoyaProvider<API>(session: session, deadlines: timeouts))
        await finish { _ = try? await provider.request(target) }
        withExtendedLifetime(server) {}
    }
}

/// Has no element, and no end.
private struct NeverOnline: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        func next() async throws -> Bool? {
            try await _Concurrency.Task.sleep(for: .seconds(3600))
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
