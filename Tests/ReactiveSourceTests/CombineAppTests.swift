#if CombineMoya && TaskAlias
import Foundation
import Moya
import MoyaTesting
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@Suite(.timeLimit(.minutes(1))) struct CombineAppTests {
    private func loaded(_ model: ShopModel) async {
        await withCheckedContinuation { continuation in
            model.onEnd = { continuation.resume() }
            model.load()
        }
    }

    @Test func modelIsLoadedByTwoCallsInTurn() async throws {
        let server = try await LoopbackServer { exchange in
            let one = #"{"name":"Whistler"}"#
            try await exchange.respond(200, [:], body: exchange.request.path == "/kettles" ? "[\(one)]" : one)
        }
        let model = ShopModel(repository: RemoteShopRepository(server: server.url))
        await loaded(model)
        #expect(model.kettles == [Kettle(name: "Whistler")] && model.error == nil && !model.isLoading)
        #expect(server.requests.map(\.path) == ["/kettles", "/kettles/Whistler"])
    }

    @Test func statusIsTheErrorOfTheApp() async throws {
        let server = try await LoopbackServer { try await $0.respond(503) }
        let model = ShopModel(repository: RemoteShopRepository(server: server.url))
        await loaded(model)
        #expect(model.error == .status(503))
    }

    @Test func bodyOfAnotherFormIsTheErrorOfTheApp() async throws {
        let server = try await LoopbackServer { try await $0.respond(200, [:], body: "{}") }
        let model = ShopModel(repository: RemoteShopRepository(server: server.url))
        await loaded(model)
        #expect(model.error == .decoding)
    }

    @Test func failedCallIsMadeOnceAgain() async throws {
        let server = try await LoopbackServer { $0.reset() }
        let model = ShopModel(repository: RemoteShopRepository(server: server.url))
        await loaded(model)
        #expect(model.error == .offline)
        #expect(server.requests.map(\.path) == ["/kettles", "/kettles"])
    }

    @Test func progressEndsAtOne() async throws {
        let server = try await LoopbackServer { try await $0.respond(200, [:], body: "[]") }
        let repository = RemoteShopRepository(server: server.url)
        var shares: [Double] = []
        var cancellable: AnyCancellable?
        await withCheckedContinuation { continuation in
            cancellable = repository.download().sink(
                receiveCompletion: { _ in continuation.resume() }, receiveValue: { shares.append($0) })
        }
        cancellable?.cancel()
        #expect(shares.last == 1)
    }

    @Test func stubbedProviderAnswersTheRepository() throws {
        let server = try #require(URL(string: "https://shop.example.com"))
        let provider = MoyaProvider<ShopTarget>(stubClosure: MoyaProvider.immediatelyStub)
        var kettles: [Kettle] = []
        let cancellable = RemoteShopRepository(server: server, provider: provider).kettles()
            .sink(receiveCompletion: { _ in }, receiveValue: { kettles = $0 })
        cancellable.cancel()
        #expect(kettles == [Kettle(name: "Kettle")])
    }
}
#endif
