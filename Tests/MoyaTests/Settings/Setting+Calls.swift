import Foundation
import Moya
import MoyaSession
import MoyaTesting

extension Setting {
    /// Makes a call on a test clock that runs as fast as possible, and cancels it where even that does not end it.
    static func call(
        _ middleware: [any MoyaMiddleware] = [], deadlines: Deadlines = Deadlines(), stub: StubBehavior = .never,
        session: Session? = nil, clock: TestClock = TestClock(), answers: ScriptedTransport.Answer...
    ) async {
        let transport = ScriptedTransport(answers.isEmpty ? [.response(200, body: "{}")] : answers, clock: clock)
        let provider = MoyaProvider<API>(
            stubClosure: { _ in stub }, callbackQueue: .global(), session: session ?? Session(transport: transport),
            middleware: middleware, deadlines: deadlines, clock: clock)
        await finish(clock) { _ = try? await provider.request(API()) }
    }

    /// Runs an operation to its end: moves the clock on whenever something sleeps, and cancels after some moments.
    static func finish(_ clock: TestClock = TestClock(), _ operation: @escaping @Sendable () async -> Void) async {
        let running = _Concurrency.Task { await operation() }
        let moving = _Concurrency.Task {
            while !_Concurrency.Task.isCancelled {
                clock.advanceToNextSleeper()
                await _Concurrency.Task.yield()
            }
        }
        let bound = _Concurrency.Task {
            try await _Concurrency.Task.sleep(for: .milliseconds(5))
            running.cancel()
        }
        await running.value
        moving.cancel()
        bound.cancel()
    }

    /// Makes a request of a session, and cancels it where it does not end in some moments.
    static func request(_ session: Session, _ change: @escaping @Sendable (Request) -> Void = { _ in }) async {
        guard let url = URL(string: "https://api.example.com/zen") else { return }
        await finish(session, session.request(url), change)
    }

    /// Waits for the end of a session's request, and cancels it where it does not end in some moments.
    static func finish(
        _ session: Session, _ request: DataRequest, _ change: @escaping @Sendable (Request) -> Void = { _ in }
    ) async {
        change(request)
        let end = Promise<Void>()
        request.response(queue: .global()) { _ in end.fulfill(()) }
        let bound = _Concurrency.Task {
            try await _Concurrency.Task.sleep(for: .milliseconds(5))
            request.cancel()
        }
        try? await end.value
        bound.cancel()
        withExtendedLifetime(session) {}
    }
}
