#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Providers as the tests of apps make them.

protocol ZenRepository {
    func zen(_ completion: @escaping (String?) -> Void)
}

final class RemoteZenRepository: ZenRepository {
    private let provider: MoyaProvider<GitHub>

    init(provider: MoyaProvider<GitHub>) { self.provider = provider }

    func zen(_ completion: @escaping (String?) -> Void) {
        provider.request(.zen) { completion(try? $0.get().mapString()) }
    }
}

/// A provider that never asks anybody, by overriding the request.
final class MockProvider<Target: TargetType>: MoyaProvider<Target> {
    var targets: [Target] = []
    var result: Result<Moya.Response, MoyaError> = .success(Response(statusCode: 200, data: Data("mock".utf8)))

    override func request(
        _ target: Target, callbackQueue: DispatchQueue? = .none, progress: ProgressBlock? = .none,
        completion: @escaping Completion
    ) -> Cancellable {
        targets.append(target)
        completion(result)
        return CancellableMock()
    }
}

final class CancellableMock: Cancellable {
    private(set) var isCancelled = false
    func cancel() { isCancelled = true }
}

extension MoyaProvider {
    static func failing(_ error: Error) -> MoyaProvider<Target> {
        return MoyaProvider(
            endpointClosure: { (target: Target) -> Endpoint in
                return Endpoint(
                    url: "https://mock", sampleResponseClosure: { .networkError(error as NSError) },
                    method: target.method,
                    task: target.task, httpHeaderFields: nil)
            }, stubClosure: { _ in .immediate })
    }

    static func answering(_ status: Int, _ json: String) -> MoyaProvider<Target> {
        let closure: EndpointClosure = { target in
            Endpoint(
                url: "https://mock/\(target.path)",
                sampleResponseClosure: {
                    .response(
                        HTTPURLResponse(
                            url: URL(string: "https://mock")!, statusCode: status, httpVersion: nil,
                            headerFields: ["X-Mock": "1"])!,
                        Data(json.utf8))
                }, method: .get, task: .requestPlain, httpHeaderFields: [:])
        }
        return MoyaProvider(endpointClosure: closure, stubClosure: MoyaProvider.immediatelyStub)
    }
}

@Suite struct MockProviderTests {
    @Test func sampleDataAnswers() {
        var text: String?
        RemoteZenRepository(provider: MoyaProvider(stubClosure: MoyaProvider.immediatelyStub)).zen { text = $0 }
        #expect(text?.hasPrefix("Half measures") == true)
    }

    @Test func overriddenRequestAnswers() {
        let provider = MockProvider<GitHub>()
        var text: String?
        RemoteZenRepository(provider: provider).zen { text = $0 }
        #expect(text == "mock" && provider.targets.count == 1)
    }

    @Test func failureIsGivenAsAnNSError() {
        var code: Int?
        MoyaProvider<GitHub>.failing(URLError(.notConnectedToInternet)).request(.zen) { result in
            guard case .failure(.underlying(let error, nil)) = result else { return }
            code = (error as NSError).code
        }
        #expect(code == NSURLErrorNotConnectedToInternet)
    }

    @Test func responseOfTheTestAnswers() {
        var header: String?
        MoyaProvider<GitHub>.answering(418, "{}").request(.userProfile("a")) { result in
            header = try? result.get().response?.value(forHTTPHeaderField: "X-Mock")
        }
        #expect(header == "1")
    }

    @Test func validationJudgesTheStub() {
        var code: Int?
        MoyaProvider<GitHub>.answering(500, "{}").request(.zen) { result in
            if case .failure(let error) = result { code = error.response?.statusCode }
        }
        #expect(code == 500)
    }

    @Test func stubDependsOnTheTarget() {
        let provider = MoyaProvider<GitHub>(stubClosure: { target in
            if case .zen = target { return .immediate }
            return .delayed(seconds: 60)
        })
        var finished = false
        provider.request(.zen) { _ in finished = true }
        let slow = provider.request(.userProfile("a")) { _ in }
        slow.cancel()
        #expect(finished && slow.isCancelled)
    }

    @Test func stubIsMadeByHand() {
        let provider = MoyaProvider<GitHub>()
        let endpoint = provider.endpoint(.zen)
        var code: Int?
        _ = provider.stubRequest(
            .zen, request: URLRequest(url: URL(string: endpoint.url)!), callbackQueue: nil,
            completion: { code = try? $0.get().statusCode }, endpoint: endpoint, stubBehavior: .immediate)
        #expect(code == 200)
    }
}
#endif
