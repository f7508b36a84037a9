import Foundation
import Moya
import MoyaTransport
import Testing

/// Code of an app in the Swift 6 language mode, which must compile without a warning.
@Suite struct Swift6SourceTests {
    private let provider = MoyaProvider<Weather>(stubClosure: MoyaProvider.immediatelyStub)

    @MainActor @Test func viewModelAwaitsACall() async {
        let viewModel = ViewModel(provider: provider)
        await viewModel.load()
        #expect(viewModel.text == "sunny")
        #expect(!viewModel.isLoading)
    }

    @MainActor @Test func viewModelIsNotifiedByACallback() async {
        let viewModel = ViewModel(provider: provider)
        await withCheckedContinuation { viewModel.load(then: $0.resume) }
        #expect(viewModel.text == "sunny")
    }

    @MainActor @Test func viewModelFollowsProgress() async throws {
        let viewModel = ViewModel(provider: provider)
        try await viewModel.follow()
        #expect(viewModel.progress == 1)
        #expect(viewModel.text == "sunny")
    }

    @Test func actorAwaitsACallOnce() async throws {
        let cache = Cache(provider: provider)
        #expect(try await cache.report(of: "here") == "sunny")
        #expect(try await cache.report(of: "here") == "sunny")
        #expect(await cache.calls == 1)
    }

    @Test func actorIsNotifiedByACallback() async {
        let cache = Cache(provider: provider)
        await cache.refresh("there")
        #expect(await cache.reports == ["there": "sunny"])
    }

    @Test func errorOfACallIsTyped() async {
        let failing = MoyaProvider<Weather>(
            endpointClosure: { target in
                Endpoint(
                    url: "https://weather.example.com", sampleResponseClosure: { .networkResponse(500, Data()) },
                    method: target.method, task: target.task, httpHeaderFields: target.headers)
            }, stubClosure: { _ in .immediate })
        do {
            _ = try await failing.request(.report(place: "here"), as: [String: String].self)
            Issue.record("a 500 was decoded")
        } catch .statusCode(let response) {
            #expect(response.statusCode == 500)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func callsRunSideBySide() async throws {
        async let one = provider.request(.report(place: "here"))
        async let other = provider.request(.report(place: "there"))
        #expect(try await [one.statusCode, other.statusCode] == [200, 200])
    }

    @Test func completionIsPassedOn() {
        let client = Client(provider: provider)
        let code = Lock<Int?>(nil)
        client.load(.report(place: "here")) { result in code.withLock { $0 = try? result.get().statusCode } }
        #expect(code.withLock { $0 } == 200)
    }

    @Test func pluginAndSubclassAreSendable() async throws {
        let counter = Counter()
        let provider = CountedProvider(stubClosure: MoyaProvider.immediatelyStub, plugins: [counter])
        _ = try await provider.request(.report(place: "here"))
        #expect(counter.sent == 1)
        #expect(provider.endpoint(.report(place: "here")).httpHeaderFields == ["X-Counted": "yes"])
    }
}

private enum Weather: TargetType {
    case report(place: String)
    case search([String: any Sendable])
    case save(Report)

    struct Report: Codable, Sendable { let text: String }

    var baseURL: URL { URL(string: "https://weather.example.com").unsafelyUnwrapped }
    var path: String { "/reports" }
    var method: Moya.Method { if case .save = self { .post } else { .get } }
    var task: RequestTask {
        switch self {
        case .report(let place): .requestParameters(parameters: ["place": place], encoding: URLEncoding.queryString)
        case .search(let parameters): .requestParameters(parameters: parameters, encoding: URLEncoding.default)
        case .save(let report): .requestJSONEncodable(report)
        }
    }
    var sampleData: Data { Data("sunny".utf8) }
    var headers: [String: String]? { nil }
}

@MainActor private final class ViewModel {
    private let provider: MoyaProvider<Weather>
    private var call: (any Cancellable)?
    private(set) var text = ""
    private(set) var isLoading = false
    private(set) var progress = 0.0

    init(provider: MoyaProvider<Weather>) { self.provider = provider }

    func load() async {
        isLoading = true
        defer { isLoading = false }
        do {
            text = try await provider.request(.report(place: "here")).mapString()
        } catch {
            text = error.localizedDescription
        }
    }

    func load(then done: @escaping @Sendable () -> Void) {
        call = provider.request(.report(place: "here")) { [weak self] result in
            let text = (try? result.get().mapString()) ?? ""
            _Concurrency.Task { @MainActor in
                self?.text = text
                done()
            }
        }
    }

    func follow() async throws {
        for try await event in provider.progress(of: .report(place: "here")) {
            progress = event.progress
            if let response = event.response { text = try response.mapString() }
        }
    }
}

private actor Cache {
    private let provider: MoyaProvider<Weather>
    private(set) var reports: [String: String] = [:]
    private(set) var calls = 0

    init(provider: MoyaProvider<Weather>) { self.provider = provider }

    func report(of place: String) async throws(MoyaError) -> String {
        if let known = reports[place] { return known }
        calls += 1
        let response = try await provider.request(.report(place: place))
        let text = String(decoding: response.data, as: UTF8.self)
        reports[place] = text
        return text
    }

    func refresh(_ place: String) async {
        let text = await withCheckedContinuation { continuation in
            provider.request(.report(place: place), callbackQueue: .global()) { result in
                continuation.resume(returning: (try? result.get().mapString()) ?? "")
            }
        }
        reports[place] = text
    }
}

private struct Client {
    let provider: MoyaProvider<Weather>

    func load(_ target: Weather, completion: @escaping SendableCompletion) {
        provider.request(target, completion: completion)
    }
}

private final class Counter: PluginType {
    private let count = Lock(0)
    var sent: Int { count.withLock { $0 } }

    func willSend(_ request: any RequestType, target: any TargetType) { count.withLock { $0 += 1 } }
}

private final class CountedProvider: MoyaProvider<Weather>, @unchecked Sendable {
    override func endpoint(_ token: Weather) -> Endpoint {
        super.endpoint(token).adding(newHTTPHeaderFields: ["X-Counted": "yes"])
    }

    override func request(
        _ target: Weather, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
    }
}
