import Foundation
import Moya
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct LayerTests {
    private func provider(
        _ transport: ScriptedTransport = .answering(), layers: [any Layer], plugins: [any PluginType] = [],
        tracksInflights: Bool = false
    ) -> MoyaProvider<API> {
        MoyaProvider(
            session: Session(transport: transport), layers: layers, plugins: plugins, trackInflights: tracksInflights)
    }

    @Test func firstLayerOfTheListIsTheOutermost() async throws {
        let events = Recorder<String>()
        let layers = [ClosureLayer.recording("one", in: events), .recording("two", in: events)]
        _ = try await provider(layers: layers).request(API())
        #expect(events.values == ["one in", "two in", "two out", "one out"])
    }

    @Test func layerChangesTheRequestThatIsSent() async throws {
        let transport = ScriptedTransport.answering()
        let layer = ClosureLayer { call, next throws(MoyaError) in
            var call = call
            call.request.setValue("by a layer", forHTTPHeaderField: "X-Changed")
            return try await next(call)
        }
        _ = try await provider(transport, layers: [layer]).request(API())
        #expect(transport.requests.values.first?.fields.contains { $0.value == "by a layer" } == true)
    }

    @Test func layerAnswersWithoutTheSession() async throws {
        let transport = ScriptedTransport.answering()
        let layer = ClosureLayer { _, _ in Response(statusCode: 299, data: Data()) }
        #expect(try await provider(transport, layers: [layer]).request(API()).statusCode == 299)
        #expect(transport.requests.count == 0)
    }

    @Test func layerRefuses() async {
        let transport = ScriptedTransport.answering()
        let layer = ClosureLayer { _, _ throws(MoyaError) in throw .requestMapping("not today") }
        await #expect(throws: MoyaError.self) { try await provider(transport, layers: [layer]).request(API()) }
        #expect(transport.requests.count == 0)
    }

    @Test func layerCallsAgainAndLayersInsideItSeeTheAttempts() async throws {
        let transport = ScriptedTransport.answering()
        let attempts = Recorder<Int>()
        let inner = ClosureLayer { call, next throws(MoyaError) in
            attempts.append(call.attempt)
            return try await next(call)
        }
        _ = try await provider(transport, layers: [ClosureLayer.repeating(3), inner]).request(API())
        #expect(attempts.values == [1, 2, 3])
        #expect(transport.requests.count == 3)
    }

    @Test func layerChangesTheEnd() async throws {
        let layer = ClosureLayer { call, next throws(MoyaError) in
            let response = try await next(call)
            return Response(statusCode: response.statusCode + 1, data: response.data)
        }
        #expect(try await provider(layers: [layer]).request(API()).statusCode == 201)
    }

    @Test func layerSeesTheTargetInsideAMultiTarget() async throws {
        let seen = Recorder<String>()
        let layer = ClosureLayer { call, next throws(MoyaError) in
            seen.append("\(type(of: call.target))")
            return try await next(call)
        }
        let provider = MoyaProvider<MultiTarget>(
            session: Session(transport: ScriptedTransport.answering()), layers: [layer])
        _ = try await provider.request(MultiTarget(MultiTarget(API())))
        #expect(seen.values == ["API"])
    }

    @Test func cancelledTaskReachesTheLayerThatWaits() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport.answering()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), layers: [ClosureLayer.waiting(.seconds(60))], clock: clock)
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await clock.waitForSleepers(1)
        task.cancel()
        #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
        #expect(transport.requests.count == 0)
    }

    @Test func layerThatIgnoresItsCancellationStillSendsNothing() async throws {
        let gate = Gate()
        let transport = ScriptedTransport.answering()
        let layer = ClosureLayer { call, next throws(MoyaError) in
            await _Concurrency.Task.detached { try? await gate.wait() }.value
            return try await next(call)
        }
        let provider = provider(transport, layers: [layer])
        let task = _Concurrency.Task { try await provider.request(API()) }
        try await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
        #expect(transport.requests.count == 0)
    }

    @Test func requestThatCannotBeMadeReachesNoLayer() async {
        let events = Recorder<String>()
        let plugin = RecordingPlugin()
        let provider = MoyaProvider<API>(
            requestClosure: { _, done in done(.failure(.requestMapping("no URL"))) },
            layers: [ClosureLayer.recording("layer", in: events)], plugins: [plugin])
        await #expect(throws: MoyaError.self) { try await provider.request(API()) }
        #expect(events.values.isEmpty)
        #expect(plugin.events.values == ["process"])
    }

    @Test func requestThatIsNeverMadeIsCancelled() async {
        let plugin = RecordingPlugin()
        let asked = Promise<Void>()
        let provider = MoyaProvider<API>(
            requestClosure: { _, _ in asked.fulfill(()) }, layers: [ClosureLayer.waiting(.zero)], plugins: [plugin])
        let task = _Concurrency.Task { try await provider.request(API()) }
        await asked.value
        task.cancel()
        #expect(Result<Response, MoyaError>.of(await task.result)?.isCancelled == true)
        #expect(plugin.events.values == ["didReceive", "process"])
    }

    @Test func aLayerIsTestedAlone() async throws {
        let call = Call(target: API(), request: URLRequest(url: API().baseURL))
        let next = Next { call throws(MoyaError) in Response(statusCode: 200 + call.attempt, data: Data()) }
        #expect(try await ClosureLayer.repeating(4).intercept(call, next: next).statusCode == 204)
    }

    @Test(arguments: [false, true])
    func streamedBodyCannotBeReplayed(_ isStream: Bool) {
        let part = MultipartFormData(
            provider: isStream ? .stream(InputStream(data: Data()), 0) : .data(Data()), name: "part")
        var target = API()
        target.task = .uploadMultipart([part])
        #expect(Call(target: target, request: URLRequest(url: target.baseURL)).isReplayable == !isStream)
    }
}

extension Result where Success == Response, Failure == MoyaError {
    /// The result of a task that throws only `MoyaError`.
    static func of(_ result: Result<Response, any Error>) -> Self? {
        switch result {
        case .success(let response): .success(response)
        case .failure(let error): (error as? MoyaError).map { .failure($0) }
        }
    }
}
