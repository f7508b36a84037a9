import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

/// The ownership of providers, sessions and calls, and the end of each.
@Suite struct LifetimeTests {
    @Test func aCallKeepsItsProvider() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let result = await withCheckedContinuation { continuation in
            MoyaProvider<AnyTarget>().request(AnyTarget(baseURL: server.url)) { continuation.resume(returning: $0) }
        }
        #expect(result.text == "hello")
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func anAwaitedCallKeepsItsProvider() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        let response = try await MoyaProvider<AnyTarget>().request(AnyTarget(baseURL: server.url))
        #expect(response.data == Data("hello".utf8))
    }

    @Test func cancellingTheTaskCancelsTheCall() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let provider = MoyaProvider<AnyTarget>()
        let task = _Concurrency.Task { await failure(of: AnyTarget(baseURL: server.url), session: provider.session) }
        try await server.waitUntil { $0.requestCount == 1 }
        task.cancel()
        let error = await task.value
        #expect(error?.sessionError?.isExplicitlyCancelledError == true)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func aTaskCancelledBeforeItCallsSendsNothing() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let task = _Concurrency.Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure(of: AnyTarget(baseURL: server.url))
        }
        #expect(await task.value?.sessionError?.isExplicitlyCancelledError == true)
        #expect(server.requestCount == 0)
    }

    @Test func providerIsReleasedOnceItsCallsAreOver() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "hello") }
        weak var provider: MoyaProvider<AnyTarget>?
        weak var session: Session?
        try await {
            let made = MoyaProvider<AnyTarget>(callbackQueue: DispatchQueue(label: "test"), plugins: [SilentPlugin()])
            provider = made
            session = made.session
            _ = try await made.request(AnyTarget(baseURL: server.url))
            let cancelled = made.request(AnyTarget(baseURL: server.url)) { _ in }
            cancelled.cancel()
            _ = await withCheckedContinuation { continuation in
                made.request(AnyTarget(baseURL: server.url)) { continuation.resume(returning: $0) }
            }
        }()
        // The connections close with the session, which is released with its last owner.
        try await server.waitUntil { $0.openConnectionCount == 0 }
        #expect(provider == nil)
        #expect(session == nil)
    }
}

private struct SilentPlugin: PluginType {}
