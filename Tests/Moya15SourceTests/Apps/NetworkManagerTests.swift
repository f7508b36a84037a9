#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A network layer as apps have it: a singleton, generic functions, closures and tokens kept, calls in a dictionary.
class NetworkManager {
    static let shared = NetworkManager()

    lazy var provider = MoyaProvider<MultiTarget>(stubClosure: stub, plugins: [plugin])
    var stub: (MultiTarget) -> StubBehavior = { _ in .immediate }
    var token = "anonymous"
    var plugin: PluginType {
        return AccessTokenPlugin { [unowned self] _ in self.token }
    }
    var callbacks: [String: Completion] = [:]
    var progressBlock: ProgressBlock?
    var calls: [Cancellable] = []
    var lastCall: Cancellable?
    private(set) var count = 0

    func fetch<T: Decodable>(_ type: T.Type, from target: TargetType, completion: @escaping (Result<T, Error>) -> Void)
    {
        let call = provider.request(MultiTarget(target)) { result in
            self.count += 1
            switch result {
            case .success(let response):
                do {
                    let value = try response.filterSuccessfulStatusCodes().map(T.self)
                    completion(.success(value))
                } catch {
                    completion(.failure(error))
                }
            case .failure(let error):
                completion(.failure(error))
            }
        }
        calls.append(call)
        lastCall = call
    }

    func fetch(_ target: TargetType, success: @escaping (Any) -> Void, failure: ((MoyaError) -> Void)? = nil) {
        provider.request(MultiTarget(target), callbackQueue: nil, progress: progressBlock) { result in
            do {
                let response = try result.get()
                success(try response.mapJSON())
            } catch let error as MoyaError {
                failure?(error)
            } catch {
                failure?(.underlying(error, nil))
            }
        }
    }

    func keep(_ completion: @escaping Completion, for key: String) {
        callbacks[key] = completion
    }

    func call(_ key: String, with result: Result<Moya.Response, MoyaError>) {
        callbacks.removeValue(forKey: key)?(result)
    }

    func cancelAll() {
        calls.filter { !$0.isCancelled }.forEach { $0.cancel() }
    }
}

/// Any provider, hidden behind a protocol of the app's.
protocol Networking {
    associatedtype T: TargetType
    var provider: MoyaProvider<T> { get }
    static func makeProvider(stubbed: Bool) -> MoyaProvider<T>
}

struct GitHubNetworking: Networking {
    typealias T = GitHub
    let provider: MoyaProvider<GitHub>
    static func makeProvider(stubbed: Bool) -> MoyaProvider<GitHub> {
        return MoyaProvider<GitHub>(
            endpointClosure: endpointsClosure(["X-App": "networking"]),
            stubClosure: stubbed ? MoyaProvider.immediatelyStub : MoyaProvider.neverStub,
            plugins: plugins)
    }

    static func endpointsClosure<T>(_ headers: [String: String]) -> (T) -> Endpoint where T: TargetType {
        return { target in
            let endpoint: Endpoint = Endpoint(
                url: url(target), sampleResponseClosure: { .networkResponse(200, target.sampleData) },
                method: target.method, task: target.task, httpHeaderFields: target.headers)
            return endpoint.adding(newHTTPHeaderFields: headers)
        }
    }

    static var plugins: [PluginType] {
        return [
            NetworkLoggerPlugin(
                configuration: .init(output: { _, items in log.append(contentsOf: items) }, logOptions: .verbose))
        ]
    }

    nonisolated(unsafe) static var log: [String] = []
}

func url(_ route: TargetType) -> String {
    return route.baseURL.appendingPathComponent(route.path).absoluteString
}

/// The code of apps that await a call in Moya 15, which has no such API.
extension MoyaProvider {
    func async<T: Decodable>(_ target: Target, as type: T.Type) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            self.request(target) { result in
                switch result {
                case .success(let response):
                    guard let value = try? JSONDecoder().decode(T.self, from: response.data) else {
                        continuation.resume(throwing: MoyaError.jsonMapping(response))
                        return
                    }
                    continuation.resume(returning: value)
                case .failure(let error):
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    func request(_ target: Target) async throws -> Response {
        try await withCheckedThrowingContinuation { continuation in
            request(target) { continuation.resume(with: $0) }
        }
    }
}

@Suite struct NetworkManagerTests {
    @Test func genericFunctionDecodesTheSampleOfAnyTarget() throws {
        let manager = NetworkManager()
        var login: String?
        manager.fetch(User.self, from: GitHub.userProfile("ash")) { result in
            login = try? result.get().login
        }
        #expect(login == "ash")
        #expect(manager.count == 1)
        #expect(manager.calls.count == 1)
    }

    @Test func failureIsDeliveredAsAnyError() {
        let manager = NetworkManager()
        var failure: Error?
        manager.fetch(User.self, from: MyTarget.users) { if case .failure(let error) = $0 { failure = error } }
        guard case .objectMapping(_, let response)? = failure as? MoyaError else {
            Issue.record("\(failure as Any)"); return
        }
        #expect(response.statusCode == 200)
    }

    @Test func successAndFailureClosuresAreCalled() {
        var json: [String: Any]?
        NetworkManager().fetch(GitHub.userProfile("ash"), success: { json = $0 as? [String: Any] })
        #expect(json?["login"] as? String == "ash")
    }

    @Test func closuresAreKeptAndCalledLater() {
        let manager = NetworkManager()
        var code: Int?
        manager.keep({ code = try? $0.get().statusCode }, for: "key")
        manager.call("key", with: .success(Response(statusCode: 201, data: Data())))
        #expect(code == 201)
        #expect(manager.callbacks.isEmpty)
    }

    @Test func keptTokenCancelsADelayedStub() async {
        let manager = NetworkManager()
        manager.stub = MoyaProvider<MultiTarget>.delayedStub(60)
        let error: Error? = await withCheckedContinuation { continuation in
            manager.fetch(User.self, from: GitHub.zen) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: error)
                } else {
                    continuation.resume(returning: nil)
                }
            }
            manager.cancelAll()
        }
        guard case .underlying(let cause, _)? = error as? MoyaError else { Issue.record("\(error as Any)"); return }
        #expect((cause as NSError).code == NSURLErrorCancelled)
        #expect(manager.lastCall?.isCancelled == true)
    }

    @Test func providerIsMadeByAProtocolOfTheApps() {
        let networking = GitHubNetworking(provider: GitHubNetworking.makeProvider(stubbed: true))
        var header: String?
        networking.provider.request(.zen) { header = try? $0.get().request?.value(forHTTPHeaderField: "X-App") }
        #expect(header == "networking")
        #expect(GitHubNetworking.log.contains { $0.contains("https://api.github.com/zen") })
    }

    @Test func asyncFunctionOfTheAppTakesPrecedence() async throws {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let user = try await provider.async(.userProfile("ash"), as: User.self)
        #expect(user.login == "ash")
    }

    @Test func asyncRequestOfTheAppCoexistsWithMoyas() async throws {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let response = try await provider.request(.zen)
        #expect(response.statusCode == 200)
    }
}
#endif
