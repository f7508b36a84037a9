#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The sources of this folder, which `Scripts/source-warnings` compiles with every warning as an error.
@Suite struct WithoutWarningsTests {
    @Test func closuresOfAManagerAnswer() async throws {
        let manager = BakeryManager()
        let providers = [
            manager.wrapped.provider, manager.wrappedByProperty.provider, manager.wrappedByConstant.provider,
            manager.wrappedByFunction.provider, manager.direct, manager.makeProvider(),
        ]
        for provider in providers {
            #expect(try await provider.request(.loaves).map([String].self) == ["rye"])
        }
    }

    @Test func methodOfAManagerMakesTheEndpoint() {
        let manager = BakeryManager()
        manager.language = "da"
        #expect(manager.wrapped.provider.endpoint(.loaves).httpHeaderFields == ["Accept-Language": "da"])
    }

    @Test func oneOfTwoStubsIsChosen() throws {
        let slow = BakeryManager().stubs(slow: true).map { $0(.loaves) }
        #expect(slow.map { if case .delayed(0.001) = $0 { true } else { false } } == [true, true])
        let fast = BakeryManager().stubs(slow: false).map { $0(.loaves) }
        #expect(fast.map { if case .delayed = $0 { true } else { false } } == [false, false])
    }

    @Test func factoryTakesAFunctionWithoutSendable() async throws {
        let response = try await ProviderFactory.make(Bakery.self).request(.order(count: 1))
        #expect(response.request?.url?.query == "count=1")
    }

    @Test func overriddenInitializerTakesTheProvidersClosures() async throws {
        let provider = BakeryProvider(stubClosure: MoyaProvider.immediatelyStub)
        #expect(try await provider.request(.loaves).statusCode == 200)
    }

    @Test func genericClientAnswersByContinuation() async throws {
        let client = GenericClient(provider: BakeryManager().makeProvider())
        #expect(try await client.model(.loaves, as: [String].self) == ["rye"])
        #expect(try await client.response(.loaves).statusCode == 200)
        #expect(try await client.result(.loaves, as: [String].self).get() == ["rye"])
    }

    @Test func genericClientAnswersByCompletion() async {
        let client = GenericClient(provider: BakeryManager().makeProvider())
        let names = await withCheckedContinuation { continuation in
            client.load(.loaves) { (result: Result<[String], Error>) in
                continuation.resume(returning: try? result.get())
            }
        }
        #expect(names == ["rye"])
    }

    @Test func methodReceivesActivity() async throws {
        let counter = ActivityCounter()
        let plugins = [counter.makePlugin(), ActivityCounter.plugin(counter.changed)]
        let provider = MoyaProvider<Bakery>(stubClosure: MoyaProvider.immediatelyStub, plugins: plugins)
        _ = try await provider.request(.loaves)
        #expect(counter.begun == 2 && counter.ended == 2)
    }

    @Test func methodsFormatAndWriteTheLog() async throws {
        let log = EntryLog()
        let provider = MoyaProvider<Bakery>(stubClosure: MoyaProvider.immediatelyStub, plugins: [log.makePlugin()])
        _ = try await provider.request(.loaves)
        #expect(log.entries.contains { $0.contains("[\"rye\"]") })
    }

    @Test func recorderKeepsItsState() async throws {
        let recorder = RequestRecorder()
        var statuses: [Int?] = []
        recorder.onEnd = { statuses.append($0) }
        let plugins: [PluginType] = [recorder] + UserSession.shared.makePlugins()
        let provider = MoyaProvider<Bakery>(stubClosure: MoyaProvider.immediatelyStub, plugins: plugins)
        let response = try await provider.request(.loaves)
        #expect(recorder.names == ["/loaves"] && statuses == [200])
        #expect(response.request?.value(forHTTPHeaderField: "X-Number") == "0")
    }

    @Test func methodGivesTheSample() async throws {
        let source = SampleSource()
        source.status = 418
        let provider = MoyaProvider<Bakery>(
            endpointClosure: source.endpoint, stubClosure: MoyaProvider.immediatelyStub)
        #expect(try await provider.request(.loaves).statusCode == 418)
    }

    @Test func singletonDecodesTheModelOfATarget() async {
        let names = await withCheckedContinuation { continuation in
            BreadNetwork.shared.fetch(Breads.All()) { result in continuation.resume(returning: try? result.get()) }
        }
        #expect(names == ["rye", "spelt"])
        BreadNetwork.shared.cancelAll()
    }

    @Test func overriddenRequestOfAMockAnswers() {
        let mock = MockBakeryProvider()
        var names: [String]?
        _ = mock.request(.loaves) { names = try? $0.get().map([String].self) }
        #expect(names == ["rye"] && mock.targets.map(\.path) == ["/loaves"])
    }

    @Test func overriddenRequestOfAGenericSubclassRefuses() {
        let provider = CheckedBakeryProvider(stubClosure: MoyaProvider.immediatelyStub)
        var statuses: [Int?] = []
        provider.request(.loaves) { statuses.append(try? $0.get().statusCode) }
        provider.check = { _ in false }
        provider.request(.loaves) { statuses.append(try? $0.get().statusCode) }
        #expect(statuses == [200, nil])
    }

    @Test func methodMakesTheRequestOfAWrapper() async throws {
        let response = try await SigningService().wrapped.provider.request(.loaves)
        #expect(response.request?.value(forHTTPHeaderField: "X-Signature") == "key")
    }

    @Test func clientDecodesTheTypeItIsGiven() async throws {
        let client = TypedClient(provider: BakeryManager().makeProvider())
        let names = await withCheckedContinuation { continuation in
            client.load([String].self) { continuation.resume(returning: $0) }
        }
        #expect(names == ["rye"])
        #expect(client.names(Response(statusCode: 500, data: Data())) == nil)
    }

    @Test func encodingReceivesItsParameters() throws {
        let url = try #require(URL(string: "https://bakery.example.com"))
        let request = try CountEncoding().encode(URLRequest(url: url), with: ["a": 1, "b": 2])
        #expect(request.value(forHTTPHeaderField: "X-Count") == "2")
    }

    @Test @MainActor func modelOfTheMainActorChangesInACompletion() async throws {
        let model = BakeryModel()
        await withCheckedContinuation { continuation in
            model.onChange = { continuation.resume() }
            model.load()
        }
        #expect(model.names == ["rye"] && !model.isLoading)
        try await model.reload()
        #expect(model.provider.endpoint(.loaves).httpHeaderFields == ["X-Model": "1"])
    }
}
#endif
