#if RxMoya && TaskAlias
import Foundation
import MoyaTesting
@preconcurrency import RxSwift
import Testing

@Suite(.timeLimit(.minutes(1))) struct RxAppTests {
    private static let loaves = #"[{"name":"rye"}]"#

    /// Refuses every token but `new`, which it gives for `old`.
    private func server() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            let body = try await exchange.body()
            let request = exchange.request
            if request.path == "/renew" {
                let isKnown = String(decoding: body, as: UTF8.self).contains("\"old\"")
                return try await exchange.respond(isKnown ? 200 : 403, [:], body: #"{"token":"new"}"#)
            }
            guard request.fields["Authorization"] == "Bearer new" else { return try await exchange.respond(401) }
            try await exchange.respond(200, [:], body: Self.loaves)
        }
    }

    private func result<Value>(of single: Single<Value>) async -> Result<Value, Error> {
        let disposable = SerialDisposable()
        defer { disposable.dispose() }
        return await withCheckedContinuation { continuation in
            disposable.disposable = single.subscribe(
                onSuccess: { continuation.resume(returning: .success($0)) },
                onFailure: { continuation.resume(returning: .failure($0)) })
        }
    }

    @Test func tokenIsRenewedOnceAndTheRequestSentAgain() async throws {
        let server = try await server()
        let store = TokenStore()
        let service = RxBakeryService(server: server.url, store: store)
        #expect(try await result(of: service.loaves(page: 1)).get() == [Loaf(name: "rye")])
        #expect(server.requests.map(\.path) == ["/loaves", "/renew", "/loaves"])
        #expect(store.token == "new")
        #expect(try service.isLoading.value() == false)
    }

    @Test func refusedRenewalLogsOut() async throws {
        let server = try await server()
        let store = TokenStore()
        store.token = "unknown"
        let service = RxBakeryService(server: server.url, store: store)
        await #expect(throws: BakeryError.loggedOut) { try await result(of: service.loaves(page: 1)).get() }
        #expect(store.token == nil)
    }

    @Test func lostConnectionIsRetried() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.connection.number < 3 { return exchange.reset() }
            try await exchange.respond(200, [:], body: Self.loaves)
        }
        let service = RxBakeryService(server: server.url)
        let loaves = try? await result(of: service.loaves(page: 1)).get()
        #expect(loaves == [Loaf(name: "rye")])
    }

    @Test func messageOfTheServerIsTheError() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(500, [:], body: #"{"message":"no flour"}"#)
        }
        let service = RxBakeryService(server: server.url)
        await #expect(throws: BakeryError.server("no flour")) { try await result(of: service.loaves(page: 1)).get() }
    }

    @Test func bodyOfAnotherFormIsNotDecoded() async throws {
        let server = try await LoopbackServer { try await $0.respond(200, [:], body: "{}") }
        let service = RxBakeryService(server: server.url)
        await #expect(throws: BakeryError.notDecoded) { try await result(of: service.loaves(page: 1)).get() }
    }

    @Test func pagesAreLoadedInTurn() async throws {
        let server = try await server()
        let store = TokenStore()
        store.token = "new"
        let service = RxBakeryService(server: server.url, store: store)
        let counts = try await result(of: service.pages(3).map(\.count).toArray()).get()
        #expect(counts == [1, 2, 3])
        #expect(server.requests.map(\.target) == ["/loaves?page=1", "/loaves?page=2", "/loaves?page=3"])
    }
}
#endif
