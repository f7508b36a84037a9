#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension MoyaProvider {
    /// An initializer of the app's.
    convenience init(signedBy key: String, plugins: [PluginType] = []) {
        self.init(
            endpointClosure: { target in
                MoyaProvider.defaultEndpointMapping(for: target).adding(newHTTPHeaderFields: ["X-Key": key])
            }, stubClosure: MoyaProvider.immediatelyStub, callbackQueue: nil, plugins: plugins)
    }

    static func mock(_ code: Int, _ data: Data) -> MoyaProvider<Target> {
        return MoyaProvider<Target>(
            endpointClosure: { target -> Endpoint in
                return Endpoint(
                    url: URL(target: target).absoluteString, sampleResponseClosure: { .networkResponse(code, data) },
                    method: target.method, task: target.task, httpHeaderFields: target.headers)
            }, stubClosure: MoyaProvider.immediatelyStub)
    }

    @discardableResult
    func requestDecoded<T: Decodable>(
        _ target: Target, model: T.Type, decoder: JSONDecoder = JSONDecoder(), path: String? = nil,
        completion: @escaping ((_ value: T?, _ error: Error?) -> Void)
    ) -> Cancellable {
        return request(target) { result in
            switch result {
            case let .success(response):
                do {
                    completion(try response.map(T.self, atKeyPath: path, using: decoder), nil)
                } catch let error {
                    completion(nil, error)
                }
            case let .failure(error):
                completion(nil, error)
            }
        }
    }

    /// Waits for the end of a call.
    func wait(for target: Target) -> Result<Response, MoyaError> {
        let semaphore = DispatchSemaphore(value: 0)
        var outcome: Result<Response, MoyaError>!
        request(target, callbackQueue: DispatchQueue.global(qos: .utility)) {
            outcome = $0
            semaphore.signal()
        }
        semaphore.wait()
        return outcome
    }
}

extension TargetType {
    var isGitHub: Bool { return baseURL.host == "api.github.com" }
}

extension Moya.Response {
    func mapped<T: Decodable>(to type: T.Type) throws -> T {
        do {
            return try filterSuccessfulStatusCodes().map(type)
        } catch let error as MoyaError {
            throw AppError.network(error)
        } catch {
            throw AppError.other(error)
        }
    }

    var location: String? { return response?.allHeaderFields["Location"] as? String }
}

/// A class that hands its own methods on.
class Presenter {
    let provider: MoyaProvider<GitHub>
    var codes: [Int] = []
    init(provider: MoyaProvider<GitHub>) { self.provider = provider }

    func load() {
        provider.request(.zen, completion: handle)
        provider.request(.zen, completion: self.handle(_:))
        provider.request(.zen) { [unowned self] (result: Result<Moya.Response, MoyaError>) -> Void in
            self.handle(result)
        }
        _ = provider.request(.zen, callbackQueue: nil, progress: nil, completion: { (result) in self.handle(result) })
    }

    func handle(_ result: Result<Response, MoyaError>) {
        codes.append((try? result.get().statusCode) ?? -1)
    }
}

/// A subclass that stubs in its own way, with the parts that Moya shows.
final class CountingStubs<Target: TargetType>: MoyaProvider<Target> {
    var stubbed = 0

    override func stubRequest(
        _ target: Target, request: URLRequest, callbackQueue: DispatchQueue?, completion: @escaping Moya.Completion,
        endpoint: Endpoint, stubBehavior: Moya.StubBehavior
    ) -> CancellableToken {
        stubbed += 1
        let token = CancellableToken {}
        let request = notifyPluginsOfImpendingStub(for: request, target: target)
        let stub = createStubFunction(
            token, forTarget: target, withCompletion: completion, endpoint: endpoint, plugins: plugins, request: request
        )
        switch stubBehavior {
        case .immediate: stub()
        case .delayed(let delay): DispatchQueue.global().asyncAfter(deadline: .now() + delay) { stub() }
        case .never: cancelCompletion(completion, target: target)
        }
        return token
    }
}

@Suite struct ProviderExtensionTests {
    @Test func initializerOfTheAppsSignsEndpoints() {
        let provider = MoyaProvider<GitHub>(signedBy: "k", plugins: [])
        #expect(provider.endpoint(.zen).httpHeaderFields == ["X-Key": "k"])
    }

    @Test func mockAnswersWithAStatusCode() {
        var error: Error?
        MoyaProvider<GitHub>.mock(404, Data()).request(.zen) { result in
            if case .failure(let failure) = result { error = failure }
        }
        #expect((error as? MoyaError)?.response?.statusCode == 404)
    }

    @Test func decodedRequestGivesAValue() {
        var login: String?
        MoyaProvider<GitHub>.mock(200, Data("{\"data\": {\"login\": \"ash\"}}".utf8))
            .requestDecoded(.userProfile("ash"), model: User.self, path: "data") { value, _ in login = value?.login }
        #expect(login == "ash")
    }

    @Test func decodedRequestGivesAnError() {
        var failure: Error?
        MoyaProvider<GitHub>.mock(200, Data("[]".utf8))
            .requestDecoded(.userProfile("ash"), model: User.self) { _, error in failure = error }
        guard case .objectMapping(let error, _)? = failure as? MoyaError else { Issue.record("no match"); return }
        #expect(error is DecodingError)
    }

    @Test func callIsAwaited() throws {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.delayedStub(0.01))
        #expect(try provider.wait(for: .zen).get().statusCode == 200)
    }

    @Test func methodsAreCompletions() {
        let presenter = Presenter(provider: .mock(204, Data()))
        presenter.load()
        #expect(presenter.codes == [204, 204, 204, 204])
    }

    @Test func extensionsOfMoyasTypesAreSeen() {
        #expect(GitHub.zen.isGitHub)
        #expect(throws: AppError.self) { try Response(statusCode: 500, data: Data()).mapped(to: User.self) }
        let http = HTTPURLResponse(
            url: URL(string: "https://example.com")!, statusCode: 200, httpVersion: nil, headerFields: ["Location": "e"]
        )
        #expect(Response(statusCode: 200, data: Data(), request: nil, response: http).location == "e")
    }

    @Test func subclassStubsWithMoyasParts() {
        let provider = CountingStubs<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        var text: String?
        provider.request(.zen) { text = try? $0.get().mapString() }
        #expect(provider.stubbed == 1)
        #expect(text == "Half measures are as bad as nothing at all.")
    }

    @Test func callsOfManyTargetsAreGrouped() async {
        let provider = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.delayedStub(0.01))
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "results")
        var codes: [Int] = []
        let targets: [TargetType] = [GitHub.zen, MyTarget.users, Login(user: "a", extra: [:], cacheKey: nil)]
        for target in targets {
            group.enter()
            provider.request(MultiTarget(target), callbackQueue: queue) { result in
                codes.append((try? result.get().statusCode) ?? 0)
                group.leave()
            }
        }
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(codes == [200, 200, 200])
    }

    @Test func targetsAreWrappedByTheCase() {
        let provider = MoyaProvider<MultiTarget>(stubClosure: { target in
            switch target.target {
            case is GitHub: return .immediate
            default: return .never
            }
        })
        #expect(provider.stubClosure(.target(GitHub.zen)) == .immediate)
        #expect(provider.stubClosure(.target(MyTarget.users)) == .never)
    }
}
#endif
