import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct PluginsTests {
    private let plugin = RecordingPlugin()
    private let perCall = ["prepare", "willSend", "didReceive", "process"]

    private func provider(_ transport: ScriptedTransport, _ layers: [any Layer]) -> MoyaProvider<API> {
        MoyaProvider(session: Session(transport: transport), layers: layers, plugins: [plugin])
    }

    @Test func pluginsSeeEachAttemptByDefault() async throws {
        _ = try await provider(.answering(), [ClosureLayer.repeating(2)]).request(API())
        #expect(plugin.events.values == perCall + perCall)
    }

    @Test func pluginsPlacedBeforeALayerSeeTheCallOnce() async throws {
        let transport = ScriptedTransport.answering()
        _ = try await provider(transport, [Plugins(), ClosureLayer.repeating(2)]).request(API())
        #expect(plugin.events.values == perCall)
        #expect(transport.requests.count == 2)
    }

    @Test func placeIsTheOrderInTheList() async throws {
        let events = plugin.events
        let layers: [any Layer] = [
            ClosureLayer.recording("outer", in: events), Plugins(), ClosureLayer.recording("inner", in: events),
        ]
        _ = try await provider(.answering(), layers).request(API())
        #expect(
            events.values == [
                "outer in", "prepare", "willSend", "inner in", "inner out", "didReceive", "process", "outer out",
            ])
    }

    @Test func onlyTheFirstPlaceCounts() async throws {
        _ = try await provider(.answering(), [Plugins(), Plugins()]).request(API())
        #expect(plugin.events.values == perCall)
    }

    @Test func whatPluginsPreparedIsSentWithEveryAttempt() async throws {
        var plugin = plugin
        plugin.onPrepare = { request in
            var request = request
            request.setValue("yes", forHTTPHeaderField: "X-Prepared")
            return request
        }
        let transport = ScriptedTransport.answering()
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), layers: [Plugins(), ClosureLayer.repeating(2)], plugins: [plugin])
        _ = try await provider.request(API())
        #expect(transport.requests.values.map { $0.fields.contains { $0.name == "X-Prepared" } } == [true, true])
    }

    @Test func credentialsOfAPlacedPluginAnswerTheChallengeOfAnAttempt() async throws {
        let transport = ScriptedTransport { request, exchange in
            let isAuthorized = request.fields.contains { $0.name == "Authorization" }
            exchange.head(isAuthorized ? 200 : 401, ["WWW-Authenticate": "Basic realm=\"r\""])
            exchange.end()
        }
        let credentials = CredentialsPlugin { _ in
            URLCredential(user: "user", password: "password", persistence: .none)
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: transport), layers: [Plugins(), ClosureLayer.repeating(1)],
            plugins: [credentials])
        #expect(try await provider.request(API()).statusCode == 200)
    }

    @Test func pluginThatChangesTheEndIsSeenByTheLayersOutside() async throws {
        var plugin = plugin
        plugin.onProcess = { _ in .success(Response(statusCode: 203, data: Data())) }
        let seen = Recorder<Int>()
        let layer = ClosureLayer { call, next throws(MoyaError) in
            let response = try await next(call)
            seen.append(response.statusCode)
            return response
        }
        let provider = MoyaProvider<API>(
            session: Session(transport: ScriptedTransport.answering()), layers: [layer], plugins: [plugin])
        _ = try await provider.request(API())
        #expect(seen.values == [203])
    }
}
