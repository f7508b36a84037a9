#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Network layers around a provider, each in the way of another kind of app.

// A generic service whose provider is of its subclass's target.

class BaseService<API: TargetType> {
    let provider: MoyaProvider<API>
    var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    init(isStub: Bool = true) {
        provider =
            isStub
            ? MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
            : MoyaProvider<API>(plugins: [NetworkLoggerPlugin()])
    }

    func requestObject<T: Decodable>(_ target: API, completion: @escaping (Result<T, ServiceError>) -> Void) {
        provider.request(target) { [weak self] result in
            guard let self = self else { return }
            switch result {
            case .success(let response):
                completion(self.judge(response))
            case .failure(let error):
                completion(.failure(.moya(error)))
            }
        }
    }

    private func judge<T: Decodable>(_ response: Moya.Response) -> Result<T, ServiceError> {
        switch response.statusCode {
        case 200..<300:
            guard let value = try? decoder.decode(T.self, from: response.data) else { return .failure(.pathErr) }
            return .success(value)
        case 400..<500: return .failure(.requestErr(response.statusCode))
        default: return .failure(.serverErr)
        }
    }
}

enum ServiceError: Error { case moya(MoyaError), requestErr(Int), pathErr, serverErr }

final class UserService: BaseService<GitHub> {
    static let shared = UserService()

    func profile(_ name: String, completion: @escaping (Result<User, ServiceError>) -> Void) {
        requestObject(.userProfile(name), completion: completion)
    }
}

// A protocol with an associated target, and a router that implements it.

protocol NetworkRouter: AnyObject {
    associatedtype EndPoint: TargetType
    func request(
        _ route: EndPoint, completion: @escaping (_ data: Data?, _ response: URLResponse?, _ error: Error?) -> Void)
    func cancel()
}

class Router<EndPoint: TargetType>: NetworkRouter {
    private let provider = MoyaProvider<EndPoint>(stubClosure: MoyaProvider.immediatelyStub)
    private var task: Cancellable?

    func request(_ route: EndPoint, completion: @escaping (Data?, URLResponse?, Error?) -> Void) {
        task = provider.request(
            route,
            completion: { result in
                switch result {
                case let .success(response): completion(response.data, response.response, nil)
                case let .failure(error): completion(nil, error.response?.response, error)
                }
            })
    }

    func cancel() { self.task?.cancel() }
}

// A promise of the app's own.

final class Promise<Value> {
    private var callbacks: [(Result<Value, Error>) -> Void] = []
    private var result: Result<Value, Error>?

    init(_ body: (@escaping (Result<Value, Error>) -> Void) -> Void) {
        body { result in
            self.result = result
            self.callbacks.forEach { $0(result) }
        }
    }

    @discardableResult
    func done(_ callback: @escaping (Result<Value, Error>) -> Void) -> Self {
        if let result = result { callback(result) } else { callbacks.append(callback) }
        return self
    }

    func map<Other>(_ transform: @escaping (Value) throws -> Other) -> Promise<Other> {
        return Promise<Other> { fulfil in
            self.done { result in fulfil(result.flatMap { value in Result { try transform(value) } }) }
        }
    }
}

extension MoyaProvider {
    func promise(_ target: Target) -> Promise<Moya.Response> {
        return Promise { fulfil in
            self.request(target) { fulfil($0.mapError { $0 as Error }) }
        }
    }
}

// A delegate in place of a closure.

protocol ZenLoaderDelegate: AnyObject {
    func loader(_ loader: ZenLoader, didLoad text: String)
    func loader(_ loader: ZenLoader, didFailWith error: MoyaError)
}

class ZenLoader: NSObject {
    weak var delegate: ZenLoaderDelegate?
    private lazy var provider: MoyaProvider<GitHub> = {
        let provider = MoyaProvider<GitHub>(
            endpointClosure: { (target: GitHub) -> Endpoint in
                let sample: EndpointSampleResponse =
                    self.isBroken
                    ? .networkError(NSError(domain: "app", code: 7)) : .networkResponse(200, target.sampleData)
                return Endpoint(
                    url: target.baseURL.appendingPathComponent(target.path).absoluteString,
                    sampleResponseClosure: { sample },
                    method: target.method, task: target.task, httpHeaderFields: target.headers)
            }, stubClosure: MoyaProvider.immediatelyStub)
        return provider
    }()
    var isBroken = false

    func load() {
        provider.request(.zen) { [weak self] result in
            guard let strongSelf = self else { return }
            do {
                let text = try result.get().filterSuccessfulStatusCodes().mapString()
                strongSelf.delegate?.loader(strongSelf, didLoad: text)
            } catch {
                strongSelf.delegate?.loader(strongSelf, didFailWith: error as! MoyaError)
            }
        }
    }
}

// An envelope around every value.

struct Envelope<T: Decodable>: Decodable {
    let code: Int
    let message: String?
    let data: T?
}

enum EnvelopeAPI: TargetType {
    case good, refused, empty
    var baseURL: URL { URL(string: "https://api.example.com")! }
    var path: String { "/v1" }
    var method: Moya.Method { .post }
    var task: Moya.Task {
        .requestParameters(parameters: ["device": "x", "nested": ["a": 1]], encoding: JSONEncoding.default)
    }
    var headers: [String: String]? { ["Content-type": "application/json"] }
    var sampleData: Data {
        switch self {
        case .good: return #"{"code": 0, "data": {"login": "ash", "id": 1}}"#.data(using: .utf8)!
        case .refused: return #"{"code": 401, "message": "log in"}"#.data(using: .utf8)!
        case .empty: return Data()
        }
    }
}

struct APIProblem: LocalizedError {
    let code: Int
    let message: String
    var errorDescription: String? { return message }
}

extension MoyaProvider where Target == EnvelopeAPI {
    func value<T: Decodable>(
        _ target: Target, _ type: T.Type, success: @escaping (T) -> Void, failure: @escaping (Error) -> Void
    ) {
        request(target) { result in
            switch result {
            case .success(let response):
                do {
                    let envelope = try response.map(Envelope<T>.self)
                    if let data = envelope.data { return success(data) }
                    failure(APIProblem(code: envelope.code, message: envelope.message ?? ""))
                } catch {
                    failure(error)
                }
            case .failure(let error): failure(error)
            }
        }
    }
}

// The function that retries itself.

final class PatientClient {
    private(set) var attempts = 0
    lazy var provider = MoyaProvider<GitHub>(
        endpointClosure: { target in
            self.attempts += 1
            let code = self.attempts < 3 ? 503 : 200
            return Endpoint(
                url: URL(target: target).absoluteString,
                sampleResponseClosure: { .networkResponse(code, target.sampleData) },
                method: target.method, task: target.task, httpHeaderFields: target.headers)
        }, stubClosure: MoyaProvider.immediatelyStub)

    func load(_ target: GitHub, retries: Int, completion: @escaping (Result<String, MoyaError>) -> Void) {
        provider.request(target) { result in
            switch result {
            case .success(let response) where response.statusCode < 300:
                completion(.success(String(data: response.data, encoding: .utf8) ?? ""))
            case .success(let response) where retries == 0:
                completion(.failure(.statusCode(response)))
            case .failure(let error) where retries == 0:
                completion(.failure(error))
            default:
                self.load(target, retries: retries - 1, completion: completion)
            }
        }
    }
}

// A cache in front.

class CachingClient {
    private var memory: [String: Data] = [:]
    private(set) var hits = 0
    let provider = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)

    func data(of target: TargetType, completion: @escaping (Data?) -> Void) {
        let key = "\(target.method.rawValue) \(target.baseURL)\(target.path)"
        if let known = memory[key] {
            hits += 1
            return completion(known)
        }
        provider.request(MultiTarget(target)) { result in
            let data = try? result.get().data
            self.memory[key] = data
            completion(data)
        }
    }
}

@Suite struct WrapperStylesTests {
    private struct Anything: Decodable {}

    @Test func serviceOfASubclassDecodes() {
        var login: String?
        UserService.shared.profile("ash") { login = try? $0.get().login }
        #expect(login == "ash")
    }

    @Test func serviceReportsTheProblem() {
        var isPath = false
        UserService(isStub: true).requestObject(.zen) { (result: Result<User, ServiceError>) in
            if case .failure(.pathErr) = result { isPath = true }
        }
        #expect(isPath)
    }

    @Test func routerHasAnAssociatedTarget() {
        let router = Router<GitHub>()
        var text: String?
        router.request(.zen) { data, response, error in
            if error == nil, let data = data { text = String(data: data, encoding: .utf8) }
        }
        router.cancel()
        #expect(text == "Half measures are as bad as nothing at all.")
    }

    @Test func promiseOfTheAppIsFulfilled() {
        var count: Int?
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        provider.promise(.zen).map { try $0.mapString().count }.done { count = try? $0.get() }
        #expect(count == 43)
    }

    private final class Recorder: ZenLoaderDelegate {
        var texts: [String] = []
        var errors: [MoyaError] = []
        func loader(_ loader: ZenLoader, didLoad text: String) { texts.append(text) }
        func loader(_ loader: ZenLoader, didFailWith error: MoyaError) { errors.append(error) }
    }

    @Test func delegateIsCalled() {
        let (loader, recorder) = (ZenLoader(), Recorder())
        loader.delegate = recorder
        loader.load()
        #expect(recorder.texts.count == 1)
    }

    @Test func delegateIsGivenTheError() {
        let (loader, recorder) = (ZenLoader(), Recorder())
        loader.delegate = recorder
        loader.isBroken = true
        loader.load()
        guard case .underlying(let error, _)? = recorder.errors.first else { Issue.record("no error"); return }
        #expect((error as NSError).code == 7)
    }

    @Test func envelopeIsOpened() {
        let provider = MoyaProvider<EnvelopeAPI>(stubClosure: MoyaProvider.immediatelyStub)
        var login: String?
        provider.value(.good, User.self, success: { login = $0.login }, failure: { _ in })
        #expect(login == "ash")
    }

    @Test func envelopeHoldsAProblem() {
        let provider = MoyaProvider<EnvelopeAPI>(stubClosure: MoyaProvider.immediatelyStub)
        var message: String?
        provider.value(.refused, User.self, success: { _ in }, failure: { message = $0.localizedDescription })
        #expect(message == "log in")
    }

    @Test func emptyBodyIsNotAnEnvelope() {
        let provider = MoyaProvider<EnvelopeAPI>(stubClosure: MoyaProvider.immediatelyStub)
        var failure: Error?
        provider.value(.empty, User.self, success: { _ in }, failure: { failure = $0 })
        guard case .objectMapping? = failure as? MoyaError else { Issue.record("\(failure as Any)"); return }
    }

    @Test func recursiveFunctionRetries() {
        let client = PatientClient()
        var text: String?
        client.load(.zen, retries: 2) { text = try? $0.get() }
        #expect(client.attempts == 3 && text?.isEmpty == false)
    }

    @Test func recursiveFunctionStopsRetrying() {
        let client = PatientClient()
        var code: Int?
        client.load(.zen, retries: 1) { result in
            if case .failure(let error) = result { code = error.response?.statusCode }
        }
        #expect(client.attempts == 2 && code == 503)
    }

    @Test func cacheAnswersBeforeTheProvider() {
        let client = CachingClient()
        client.data(of: GitHub.zen) { #expect($0 != nil) }
        client.data(of: GitHub.zen) { #expect($0 != nil) }
        client.data(of: GitHub.userProfile("ash")) { #expect($0 != nil) }
        #expect(client.hits == 1)
    }

    @Test func dispatchGroupWaitsForSeveralCalls() {
        let provider = MoyaProvider<GitHub>(
            stubClosure: MoyaProvider.delayedStub(0.001), callbackQueue: DispatchQueue(label: "com.app.network"))
        let group = DispatchGroup()
        let lock = NSLock()
        var codes: [Int] = []
        for target in [GitHub.zen, .userProfile("ash"), .userRepositories("ash")] {
            group.enter()
            provider.request(target) { result in
                lock.lock()
                codes.append((try? result.get().statusCode) ?? 0)
                lock.unlock()
                group.leave()
            }
        }
        #expect(group.wait(timeout: .now() + 60) == .success)
        #expect(codes == [200, 200, 200])
    }

    @Test func pagesAreLoadedOneAfterAnother() {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        var names: [String] = []
        func load(_ users: [String]) {
            guard let user = users.first else { return }
            provider.request(.userProfile(user)) { result in
                if let login = try? result.get().map(String.self, atKeyPath: "login") { names.append(login) }
                load(Array(users.dropFirst()))
            }
        }
        load(["a", "b", "c"])
        #expect(names == ["a", "b", "c"])
    }
}
#endif
