import Foundation
import Moya
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct PluginsMiddlewareTests {
    private let plugin = RecordingPlugin()
    private let perCall = ["prepare", "willSend", "didReceive", "process"]

    private func provider(_ transport: StepwiseTransport, _ middleware: [any MoyaMiddleware]) -> MoyaProvider<API> {
        MoyaProvider(session: Session(transport: transport), middleware: middleware, plugins: [plugin])
    }

    /// Middleware outside repeats the call with its plugins.
    @Test func pluginsRunForEachRepetitionByOuterMiddleware() async throws {
        let transport = StepwiseTransport.answering()
        let response = try await provider(transport, [ClosureMiddleware.repeating(2), PluginsMiddleware()]).request(
            API())
        #expect(response.statusCode == 200)
        #expect(plugin.events.values == perCall + perCall)
    }

    @Test func pluginsSeeEachAttemptByDefault() async throws {
        _ = try await provider(.answering(), [ClosureMiddleware.repeating(2)]).request(API())
        #expect(plugin.events.values == perCall + perCall)
    }

    @Test func pluginsPlacedBeforeAMiddlewareSeeTheCallOnce() async throws {
        let transport = StepwiseTransport.answering()
        _ = try await provider(transport, [PluginsMiddleware(), ClosureMiddleware.repeating(2)]).request(API())
        #expect(plugin.events.values == perCall)
        #expect(transport.requests.count == 2)
    }

    @Test func orderInTheListDeterminesThePosition() async throws {
        let events = plugin.events
        let middleware: [any MoyaMiddleware] = [
            ClosureMiddleware.recording("outer", in: events), PluginsMiddleware(),
            ClosureMiddleware.recording("inner", in: events),
        ]
        _ = try await provider(.answering(), middleware).request(API())
        #expect(
            events.values == [
                "outer in", "prepare", "willSend", "inner in", "inner out", "didReceive", "process", "outer out",
            ])
    }

    @Test func onlyTheFirstPositionCounts() async throws {
        _ = try await provider(.answering(), [PluginsMiddleware(), PluginsMiddleware()]).request(API())
        #expect(plugin.events.values == perCall)
    }

    @Test func preparedRequestIsSentWithEveryAttempt() async throws {
        var plugin = plugin
        plugin.onPrepare = { request in
            var request = request
            request.setValue("yes", forHTTPHeaderField: "X-Prepared")
            return request
        }
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), middleware: [PluginsMiddleware(), ClosureMiddleware.repeating(2)],
            plugins: [plugin])
        _ = try await provider.request(API())
        #expect(transport.requests.values.map { $0.fields.contains { $0.name == "X-Prepared" } } == [true, true])
    }

    @Test func credentialsOfAPlacedPluginAnswerTheChallengeOfAnAttempt() async throws {
        let transport = StepwiseTransport { request, exchange in
            let isAuthorized = request.fields.contains { $0.name == "Authorization" }
            exchange.head(isAuthorized ? 200 : 401, ["WWW-Authenticate": "Basic realm=\"r\""])
            exchange.end()
        }
        let credentials = CredentialsPlugin { _ in
            URLCredential(user: "user", password: "password", persistence: .none)
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), middleware: [PluginsMiddleware(), ClosureMiddleware.repeating(1)],
            plugins: [credentials])
        #expect(try await provider.request(API()).statusCode == 200)
    }

    @Test func outerMiddlewareSeeTheResultOfAPlugin() async throws {
        var plugin = plugin
        plugin.onProcess = { _ in .success(Response(statusCode: 203, data: Data())) }
        let seen = Recorder<Int>()
        let middleware = ClosureMiddleware { call, next throws(MoyaError) in
            let response = try await next(call)
            seen.append(response.statusCode)
            return response
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: StepwiseTransport.answering()), middleware: [middleware], plugins: [plugin])
        _ = try await provider.request(API())
        #expect(seen.values == [203])
    }
}
