// The network layer of an app that was written for Moya 15 and then moved to the Swift 6 language mode.
#if TaskAlias
import Foundation
import Moya
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Loaf: Codable, Sendable, Equatable {
    let name: String
}

enum Oven {
    case loaves(page: Int)
    case bake(Loaf)
    case photo(Data, name: String)
    case file(URL)
}

extension Oven: TargetType, AccessTokenAuthorizable {
    var baseURL: URL { return URL(string: "https://oven.example.com")! }
    var path: String {
        switch self {
        case .loaves, .bake: return "/loaves"
        case .photo: return "/photos"
        case .file: return "/file"
        }
    }
    var method: Moya.Method {
        switch self {
        case .loaves, .file: return .get
        case .bake, .photo: return .post
        }
    }
    var task: Task {
        switch self {
        case .loaves(let page):
            return .requestParameters(parameters: ["page": page, "sort": ["name"]], encoding: URLEncoding.default)
        case .bake(let loaf): return .requestJSONEncodable(loaf)
        case .photo(let data, let name):
            return .uploadMultipart([
                MultipartFormData(provider: .data(data), name: "photo", fileName: name, mimeType: "image/jpeg")
            ])
        case .file(let url):
            return .downloadDestination { _, _ in (url, [.removePreviousFile, .createIntermediateDirectories]) }
        }
    }
    var headers: [String: String]? { return ["Accept": "application/json"] }
    var authorizationType: AuthorizationType? { return .bearer }
    var validationType: ValidationType { return .successCodes }
    var sampleData: Data { return Data("[{\"name\":\"rye\"}]".utf8) }
}

/// The session of a user, which an actor keeps.
actor RenewedTokens {
    private(set) var token: String?

    func renew() -> String {
        let new = "renewed"
        token = new
        return new
    }
}

/// A plugin with state behind a lock.
final class RequestCounter: PluginType, @unchecked Sendable {
    private let lock = NSLock()
    private var paths: [String] = []

    var count: Int {
        lock.lock()
        defer { lock.unlock() }
        return paths.count
    }

    func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
        var request = request
        request.timeoutInterval = 20
        return request
    }

    func willSend(_ request: RequestType, target: TargetType) {
        lock.lock()
        defer { lock.unlock() }
        paths.append(target.path)
    }

    func didReceive(_ result: Result<Moya.Response, MoyaError>, target: TargetType) {}

    func process(_ result: Result<Moya.Response, MoyaError>, target: TargetType) -> Result<Moya.Response, MoyaError> {
        return result
    }
}

/// An interceptor that renews the token after a refusal.
final class RenewingInterceptor: RequestInterceptor {
    private let keeper = RenewedTokens()

    func retry(
        _ request: Request, for session: Session, dueTo error: Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard request.retryCount == 0, (request.task?.response as? HTTPURLResponse)?.statusCode == 401 else {
            return completion(.doNotRetryWithError(error))
        }
        _Concurrency.Task {
            _ = await keeper.renew()
            completion(.retry)
        }
    }
}

/// A subclass that lists its calls.
final class OvenProvider: MoyaProvider<Oven>, @unchecked Sendable {
    @discardableResult
    override func request(
        _ target: Oven, callbackQueue: DispatchQueue? = nil, progress: SendableProgressBlock? = nil,
        completion: @escaping SendableCompletion
    ) -> Cancellable {
        return super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
    }
}

protocol LoafRepository: Sendable {
    func loaves(page: Int, completion: @escaping @Sendable (Result<[Loaf], Error>) -> Void) -> Cancellable
    func loaves(page: Int) async throws -> [Loaf]
}

final class RemoteLoafRepository: LoafRepository {
    static let shared = RemoteLoafRepository(
        provider: MoyaProvider<Oven>(
            stubClosure: MoyaProvider.immediatelyStub, session: Session(interceptor: RenewingInterceptor()),
            plugins: [RequestCounter(), AccessTokenPlugin { _ in "token" }]))

    private let provider: MoyaProvider<Oven>

    init(provider: MoyaProvider<Oven>) {
        self.provider = provider
    }

    @discardableResult
    func loaves(page: Int, completion: @escaping @Sendable (Result<[Loaf], Error>) -> Void) -> Cancellable {
        return provider.request(.loaves(page: page)) { result in
            completion(Result { try result.get().filterSuccessfulStatusCodes().map([Loaf].self) })
        }
    }

    func loaves(page: Int) async throws -> [Loaf] {
        return try await withCheckedThrowingContinuation { continuation in
            provider.request(.loaves(page: page)) { result in
                continuation.resume(with: Result { try result.get().map([Loaf].self) })
            }
        }
    }

    func bake(_ loaf: Loaf, progress: @escaping @Sendable (Double) -> Void, completion: @escaping SendableCompletion) {
        provider.request(.bake(loaf), callbackQueue: .main, progress: { progress($0.progress) }, completion: completion)
    }
}

/// A generic service over many targets.
struct Service<Target: TargetType>: Sendable {
    let provider: MoyaProvider<Target>

    func load<Model: Decodable & Sendable>(
        _ target: Target, as type: Model.Type = Model.self, completion: @escaping @Sendable (Model?) -> Void
    ) {
        provider.request(target) { result in
            completion(try? result.get().map(Model.self))
        }
    }
}

/// A model of a view.
@MainActor
final class LoafModel {
    private(set) var loaves: [Loaf] = []
    private(set) var message: String?
    private let repository: LoafRepository
    private var call: Cancellable?

    init(repository: LoafRepository) {
        self.repository = repository
    }

    func load() {
        call?.cancel()
        call = repository.loaves(page: 1) { [weak self] result in
            MainActor.assumeIsolated {
                switch result {
                case .success(let loaves): self?.loaves = loaves
                case .failure(let error): self?.message = error.localizedDescription
                }
            }
        }
    }

    func reload() async {
        do {
            loaves = try await repository.loaves(page: 1)
        } catch {
            message = error.localizedDescription
        }
    }
}
#endif
