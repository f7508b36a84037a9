#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Plugins that keep something, as apps write them: classes with plain variables.

/// Shows an indicator during a call.
final class IndicatorPlugin: PluginType {
    private(set) var shown = 0
    private(set) var isShown = false
    private var running = 0 {
        didSet {
            isShown = running > 0
            if isShown && oldValue == 0 { shown += 1 }
        }
    }

    func willSend(_ request: RequestType, target: TargetType) { running += 1 }
    func didReceive(_ result: Result<Moya.Response, MoyaError>, target: TargetType) { running -= 1 }
}

/// Measures calls.
class TimingPlugin: PluginType {
    private var starts: [String: Date] = [:]
    var durations: [TimeInterval] = []

    func willSend(_ request: RequestType, target: TargetType) { starts[target.path] = Date() }
    func didReceive(_ result: Result<Response, MoyaError>, target: TargetType) {
        guard let start = starts.removeValue(forKey: target.path) else { return }
        durations.append(Date().timeIntervalSince(start))
    }
}

/// Signs requests with a counter.
struct SigningPlugin: PluginType {
    let secret: String
    var nonce: () -> Int

    func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
        var request = request
        request.addValue("\(secret)-\(nonce())", forHTTPHeaderField: "X-Signature")
        if let url = request.url, var components = URLComponents(url: url, resolvingAgainstBaseURL: false) {
            components.queryItems = (components.queryItems ?? []) + [URLQueryItem(name: "v", value: "1")]
            request.url = components.url
        }
        return request
    }
}

/// Treats a call as failed if its body says so.
final class BusinessErrorPlugin: PluginType {
    struct Problem: Error, Equatable { let code: Int }
    var onProblem: ((Problem) -> Void)?

    func process(_ result: Result<Moya.Response, MoyaError>, target: TargetType) -> Result<Moya.Response, MoyaError> {
        guard case .success(let response) = result,
            let json = try? response.mapJSON() as? [String: Any], let code = json["code"] as? Int, code != 0
        else { return result }
        let problem = Problem(code: code)
        onProblem?(problem)
        return .failure(.underlying(problem, response))
    }
}

/// Answers from stored responses when there is no network.
class FallbackPlugin: PluginType {
    private var kept = [String: Data]()

    func process(_ result: Result<Response, MoyaError>, target: TargetType) -> Result<Response, MoyaError> {
        switch result {
        case let .success(response):
            kept[target.path] = response.data
            return result
        case .failure:
            guard let data = kept[target.path] else { return result }
            return .success(Response(statusCode: 200, data: data))
        }
    }
}

/// Appends requests to a list, through a closure property.
final class LogPlugin: PluginType {
    var log: (String) -> Void = { print($0) }

    func willSend(_ request: RequestType, target: TargetType) {
        log("-> \(request.request?.httpMethod ?? "") \(request.request?.url?.path ?? "")")
        request.request?.allHTTPHeaderFields.map { log("\($0.count) fields") }
    }

    func didReceive(_ result: Result<Response, MoyaError>, target: TargetType) {
        switch result {
        case .success(let response): log("<- \(response.statusCode)")
        case .failure(let error): log("<- \(error.errorDescription ?? "")")
        }
    }
}

/// A target that declares its plugins.
protocol DecoratedTarget: TargetType { var showsIndicator: Bool { get } }

extension DecoratedTarget { var showsIndicator: Bool { return true } }

@Suite struct StatefulPluginTests {
    @Test func indicatorCountsActiveCalls() {
        let plugin = IndicatorPlugin()
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        provider.request(.zen) { _ in }
        provider.request(.zen) { _ in }
        #expect(plugin.shown == 2 && !plugin.isShown)
    }

    @Test func pluginMeasuresTimes() {
        let plugin = TimingPlugin()
        MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin]).request(.zen) { _ in }
        #expect(plugin.durations.count == 1)
    }

    @Test func requestIsSigned() {
        var counter = 0
        let plugin = SigningPlugin(
            secret: "s",
            nonce: {
                counter += 1; return counter
            })
        var request: URLRequest?
        MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin]).request(.zen) {
            request = try? $0.get().request
        }
        #expect(request?.value(forHTTPHeaderField: "X-Signature") == "s-1")
        #expect(request?.url?.query == "v=1")
    }

    @Test func problemInABodyIsAFailure() {
        let plugin = BusinessErrorPlugin()
        var problems: [BusinessErrorPlugin.Problem] = []
        plugin.onProblem = { problems.append($0) }
        let provider = MoyaProvider<EnvelopeAPI>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        var failure: Error?
        provider.request(.refused) { result in
            if case .failure(.underlying(let error, _)) = result { failure = error }
        }
        #expect(failure as? BusinessErrorPlugin.Problem == .init(code: 401))
        #expect(problems == [.init(code: 401)])
    }

    @Test func storedResponseReplacesAFailure() {
        let plugin = FallbackPlugin()
        var isOffline = false
        let provider = MoyaProvider<GitHub>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString,
                    sampleResponseClosure: {
                        isOffline
                            ? .networkError(NSError(domain: NSURLErrorDomain, code: -1009))
                            : .networkResponse(200, target.sampleData)
                    }, method: target.method, task: target.task, httpHeaderFields: target.headers)
            }, stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        var texts: [String?] = []
        provider.request(.zen) { texts.append(try? $0.get().mapString()) }
        isOffline = true
        provider.request(.zen) { texts.append(try? $0.get().mapString()) }
        #expect(texts.count == 2 && texts[0] == texts[1] && texts[0] != nil)
    }

    @Test func logIsWritten() {
        let plugin = LogPlugin()
        var lines: [String] = []
        plugin.log = { lines.append($0) }
        MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin]).request(.zen) { _ in }
        #expect(lines.first == "-> GET /zen" && lines.last == "<- 200")
    }

    @Test func pluginsOfAllTypesFormOneList() {
        var events: [NetworkActivityChangeType] = []
        let plugins: [PluginType] = [
            IndicatorPlugin(), TimingPlugin(), LogPlugin(), AccessTokenPlugin { _ in "token" },
            CredentialsPlugin { _ -> URLCredential? in nil },
            NetworkActivityPlugin { change, _ in events.append(change) },
            NetworkLoggerPlugin(
                configuration: .init(output: { _, _ in }, logOptions: [.requestMethod, .successResponseBody])),
        ]
        MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, plugins: plugins).request(.zen) { _ in }
        #expect(events == [.began, .ended])
    }
}
#endif
